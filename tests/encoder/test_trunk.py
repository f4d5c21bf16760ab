"""The encoder with turned positions: what decides is how far words are from each other."""

import pytest

torch = pytest.importorskip("torch")

from trope.encoder import trunk  # noqa: E402


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> trunk.RotaryEncoder:
    sizes = {"_PIECES": 40, "_SIZE": 24, "_INNER": 32, "_HEADS": 3, "_LAYERS": 2}
    for name, value in sizes.items():
        monkeypatch.setattr(trunk, name, value)
    torch.manual_seed(0)
    return trunk.RotaryEncoder().eval()


def test_a_shifted_text_has_the_same_vectors(encoder: trunk.RotaryEncoder) -> None:
    ids = torch.tensor([[5, 6, 7, 8], [0, 0, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1], [1, 0, 0, 0]])
    late = torch.tensor([[0, 0, 5, 6, 7, 8]])
    with torch.inference_mode():
        early = encoder(encoder.words(ids), mask)
        shifted = encoder(encoder.words(late), torch.tensor([[0, 0, 1, 1, 1, 1]]))
        turned = encoder(encoder.words(ids.flip(1)), torch.ones_like(mask))
    assert len(early) == 3
    assert torch.allclose(early[-1][0], shifted[-1][0, 2:], atol=1e-5)
    assert not torch.allclose(early[-1][0], turned[-1][0].flip(0), atol=1e-3), "order counts"


def test_the_names_of_the_published_file_are_taken(encoder: trunk.RotaryEncoder) -> None:
    published = {
        name.replace("layers.", "blk.", 1): torch.ones_like(value)
        for name, value in encoder.state_dict().items()
        if name != "token_types"
    }
    published["token_types.weight"] = torch.full((2, 24), 3.0)
    encoder.load(published)
    assert encoder.token_types.tolist() == [3.0] * 24
    assert encoder.layers[1].ffn_gate.weight.eq(1).all()
    with pytest.raises(KeyError):
        encoder.load({"token_types.weight": torch.zeros(2, 24)})
