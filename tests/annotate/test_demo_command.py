"""One command from nothing to a page with something to judge."""

import re
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from projects import open_project

from ports import free_port
from trope.annotate.project import TEMPLATES
from trope.cli.annotate.service import sample_project


@pytest.mark.parametrize("template", TEMPLATES)
def test_sample_project_has_items_and_is_made_once(template: str, tmp_path: Path) -> None:
    from trope.annotate.store.models import Item

    sample_project(tmp_path / "demo", template)
    number = Item.objects.count()
    assert number >= 2
    sample_project(tmp_path / "demo", template)
    assert Item.objects.count() == number
    assert open_project(tmp_path / "demo").plan.template == template


def test_demo_serves_an_item_behind_the_link_it_prints(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-u", "-m", "trope", "annotate", "demo", "d", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            link = service.stdout.readline().strip().removeprefix("Judge here: ")
            assert "owner's link" in service.stdout.readline()
            jar = urllib.request.HTTPCookieProcessor(CookieJar())
            browser = urllib.request.build_opener(jar)
            page = opened(browser, link)
            found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
            assert found
            form = f"csrfmiddlewaretoken={found[1]}".encode()
            with browser.open(link, form) as answer:
                assert answer.url.endswith("/guidelines")
            assert 'name="token"' in opened(browser, f"http://127.0.0.1:{port}/judge")
        finally:
            service.terminate()


def opened(browser: urllib.request.OpenerDirector, address: str) -> str:
    """The page, as soon as the service answers."""
    while True:
        try:
            with browser.open(address) as answer:
                return str(answer.read().decode())
        except ConnectionError:
            pass
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
        time.sleep(0.05)
