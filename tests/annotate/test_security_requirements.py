"""Every security requirement names tests, and these exist."""

import ast
import re
from pathlib import Path

TALKERS = re.compile(
    r"(urllib\.request|http\.client|smtplib|ftplib|requests|httpx|aiohttp|huggingface_hub"
    r"|django\.core\.mail|socket(\.socket|\.create_connection)?)\.(?!SHUT_)"
)
SOURCES = Path(__file__).resolve().parents[2] / "src" / "trope"
TESTS = Path(__file__).resolve().parents[1]
REQUIREMENTS = Path(__file__).parent / "security_requirements.md"


def rows() -> list[list[str]]:
    """The cells of the table of requirements."""
    table = REQUIREMENTS.read_text(encoding="utf-8")
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_every_requirement_has_tests_that_exist() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)\(", written))
    assert len(rows()) > 40
    for numbers, _, how, tests in rows():
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"{numbers}: no test is named"
        assert set(named) <= known, f"{numbers}: no such test as {sorted(set(named) - known)}"
        assert how


def test_numbers_are_requirements_of_the_standard() -> None:
    for numbers, *_ in rows():
        for number in numbers.split(", "):
            assert re.fullmatch(r"(1[0-7]|[1-9])\.\d{1,2}\.\d{1,2}", number), number


PROMISES = {
    "A person has a link with 256 random bits": "test_only_the_hash_of_a_link_is_stored",
    "The owner can replace it at any time": "test_new_link_ends_old_link_and_session",
    "A link alone does nothing": "test_invitation_itself_needs_a_press_of_its_button",
    "`serve` prints it": "test_owners_link_is_printed_on_a_terminal_only",
    "After 10 wrong links": "test_guessing_of_links_is_slowed_down_and_right_links_still_work",
    "A right link always works": "test_guessing_from_many_places_locks_nobody_out",
    "the address is the last one": "test_address_that_a_client_claims_is_not_believed",
    "a limited number of workers": "test_open_link_has_places_of_its_own",
    "at most 20 new": "test_one_address_cannot_make_up_workers_without_end",
    "make signed ones with": "test_link_for_one_worker_needs_no_parameters_and_takes_none",
    "whose address the panel has signed": "test_address_that_the_panel_did_not_sign_brings_nobody",
    "a last second": "test_signed_address_ends_in_time",
    "works once": "test_panel_that_signs_brings_its_workers_and_each_address_works_once",
    "is off unless the plan names": "test_without_sign_on_its_addresses_lead_nowhere",
    "PKCE, a state and": "test_code_of_someone_else_is_worth_nothing",
    "signature (no shared keys": "test_token_with_a_wrong_signature_signs_nobody_in",
    "audience, time and nonce": "test_token_with_a_wrong_claim_signs_nobody_in",
    "Only people whom the plan lists": "test_unknown_person_is_told_and_gets_no_account",
    "that the provider has verified": "test_address_must_be_verified",
    "belongs to one person of the": "test_account_belongs_to_one_subject",
    "leads to no other site": "test_sign_on_leads_to_no_other_site",
    "A provider that hangs": "test_provider_that_does_not_answer_is_told_in_time",
    "from the environment alone": "test_settings_that_cannot_work_are_refused",
    "Owners' links can be switched off": "test_links_of_owners_can_be_switched_off",
    "Such sessions end after 12": "test_session_by_sign_on_ends_the_same_day",
    "are signed cookies": "test_cookies_in_public_are_locked_to_the_host",
    "end after 14 days": "test_session_ends_after_two_weeks",
    "with *Sign out*": "test_session_that_was_left_cannot_be_used_again",
    "They hold a number and a": "test_cookies_hold_no_name_and_no_token",
    "An annotator sees their own items": "test_every_route_for_every_role",
    "before it reads a form": "test_upload_of_someone_unknown_is_neither_read_nor_stored",
    "not even loaded for an annotator's page": "test_gold_never_reaches_an_annotator",
    "A form has at most": "test_large_form_is_refused",
    "and 5,000 fields, a free": "test_form_of_too_many_fields_or_characters_is_refused",
    "no page of an annotator reads more": "test_no_page_of_an_annotator_reads_many_items",
    "`caps` limit work": "test_late_forms_respect_caps",
    "`skip.limit` limits": "test_skipping_ends_at_its_limit",
    "The role is checked before": "test_only_owners_may_send_files",
    "on no page and in no": "test_password_of_the_database_is_on_no_page_and_in_no_version",
    "Headers and body must arrive": "test_many_unfinished_requests_keep_nobody_out",
    "do not hang up": "test_clients_that_do_not_hang_up_keep_nobody_out",
    "Everything people enter is escaped": "test_markup_in_texts_names_and_plan_stays_text",
    "A content security policy": "test_every_page_has_the_headers_that_keep_it_to_itself",
    "Forms carry a token": "test_no_form_is_taken_from_another_site",
    "Queries are never built from input": "test_answer_that_is_not_offered_is_refused",
    "NUL characters and halves": "test_form_that_is_not_text_is_refused",
    "Exports are attachments": "test_name_of_an_exported_file_is_ours",
    "their CSV is safe": "test_export_of_answers_is_safe_by_default",
    "is one transaction": "test_every_submit_is_one_transaction_also_where_the_page_turns",
    "sent twice is one": "test_same_form_twice_is_one_judgment",
    "if the answers differ": "test_spent_form_with_another_answer_is_told_so",
    "with status 503": "test_full_disk_is_told_and_the_same_form_is_saved_later",
    "waits 10 seconds for locks": "test_all_waits_of_a_request_end_together",
    "all taken together": "test_postgres_all_waits_of_a_request_end_together",
    "A backup, an export": "test_disk_that_fills_in_the_middle_of_a_backup_or_an_export",
    "or an update": "test_disk_that_fills_in_the_middle_of_a_migration_keeps_what_is_whole",
    "Two backups of a project": "test_two_backups_of_a_project_do_not_overlap",
    "`/health` and `/ready` are": "test_postgres_that_is_gone_is_not_ready_until_it_is_back",
    "that was acknowledged is lost": "test_killed_writers_lose_nothing_that_was_acknowledged",
    "missing or empty is not opened": "test_database_that_is_gone_is_no_new_project",
    "`doctor` compares the": "test_database_that_lost_what_it_had_acknowledged_is_found",
    "read by their owner only": "test_project_is_readable_by_its_owner_only",
    "`doctor` checks those": "test_files_that_others_can_read_are_unsafe",
    "`serve` refuses a public address": "test_public_place_without_encryption_is_refused",
    "HTTP Strict Transport Security": "test_public_pages_demand_encryption_for_a_year",
    "talks to nobody": "test_service_talks_to_nobody",
    "The key of an endpoint": "test_key_reaches_no_log_page_export_error_or_database",
    "travels over https only": "test_key_travels_encrypted_or_not_at_all",
    "is sent as data": "test_instruction_in_an_item_stays_data_and_changes_no_format",
    "is cut off": "test_response_of_a_gigabyte_is_cut_off_and_refused",
    "A clock that is set a day": "test_clock_that_jumps_a_day_and_back_keeps_the_books",
    "limit or session wrong": "test_session_and_limits_survive_a_clock_that_jumps_a_day",
    "refuses to serve a folder that another": "test_second_server_of_a_project_is_refused",
    "are stored as events with time": "test_what_is_done_is_kept_with_time_and_person",
    "Wrong links, refused pages": "test_refusals_are_logged_without_secrets",
    "No log line has a link": "test_links_are_in_no_log_line",
    "no pickle is ever loaded": "test_no_loader_reads_pickles",
    "Nothing is downloaded unless": "test_models_are_read_from_safetensors_in_a_folder",
    "at the commit that is asked for": "test_only_safe_files_are_fetched_from_the_hub",
    "have a fixed one": "test_models_that_we_name_come_at_a_fixed_commit",
    "checked against their SHA-256": "test_other_public_weights_are_refused",
    "says which it was": "test_record_of_a_run_says_which_commit_was_fetched",
    "Lexicons and models that ship have checksums": "test_every_lexicon_is_as_its_checksum_says",
    "pins every package": "test_every_package_is_pinned_with_hashes",
    "says what could not be looked up": "test_audit_says_what_could_not_be_looked_up",
    "Errors show no internals": "test_error_shows_nothing_of_the_inside",
}
"""What the page about security promises, by the first words, and the test that holds it."""


def test_every_promise_of_the_manual_is_held_by_a_test() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)\(", written))
    assert set(PROMISES.values()) <= known, sorted(set(PROMISES.values()) - known)
    page = (TESTS.parent / "docs" / "security.md").read_text(encoding="utf-8")
    limits = page.split("## Known limits")[1].split("## What is downloaded")[0]
    promised = page.split("## Sign-in and sessions")[1].replace(limits, "\n\n")
    told = " ".join(promised.split())
    for words in PROMISES:
        assert words in told, words
    points = [" ".join(point.split()) for point in promised.split("\n- ")[1:]]
    for point in points:
        assert any(words in point for words in PROMISES), point


def test_service_talks_to_nobody() -> None:
    """No module of the service imports what could open a connection but that of sign-on; the driver
    of PostgreSQL does, for the database alone. `trope annotate model` asks an endpoint, and no page
    does: a contract of import-linter keeps its modules away from the service."""
    sources = {*(SOURCES / "annotate").rglob("*.py"), *(SOURCES / "web").rglob("*.py")}
    sources.remove(SOURCES / "annotate" / "chat.py")
    assert len(sources) > 50
    for path in sources - {SOURCES / "annotate" / "web" / "sign_on.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                within = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for one in node.names:
                    assert not TALKERS.match(f"{within}{one.name}."), f"{path}:{node.lineno}"
