# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks a page of gc-runner --explain in Chromium.

    browser.py PAGE TEXT

TEXT is what gc-runner printed: its first line is the headline of the page. The
page is rendered, so that what the checks see is what a reader sees.
"""

import html.parser
import os
import shutil
import subprocess
import sys
import tempfile


class Page(html.parser.HTMLParser):
    """Counts of elements, and the text inside of some."""

    def __init__(self):
        super().__init__()
        self.counts, self.text, self.open = {}, {}, []
        self.links, self.ids, self.outside = [], set(), []

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        attributes = dict(attributes)
        self.open.append((tag, attributes))
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if attributes.get("href", "").startswith("#"):
            self.links.append(attributes["href"][1:])
        for name in ("src", "href", "data", "srcset", "poster"):
            value = attributes.get(name, "")
            if value and not value.startswith("#"):
                self.outside.append(value)
        if any(name.startswith("on") for name in attributes):
            self.outside.append(f"handler on {tag}")

    def handle_endtag(self, tag):
        while self.open:
            if self.open.pop()[0] == tag:
                break

    def handle_data(self, data):
        for tag, attributes in self.open:
            key = attributes.get("id", tag)
            self.text[key] = self.text.get(key, "") + data


def chromium(*arguments):
    profile = tempfile.mkdtemp()
    try:
        return subprocess.run(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--user-data-dir=" + profile, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
            check=True).stdout.decode()
    finally:
        shutil.rmtree(profile, ignore_errors=True)


def main():
    path, text = sys.argv[1:]
    with open(text) as file:
        headline = file.readline().strip()
    url = "file://" + os.path.abspath(path)
    # A request would fail: no host name has an address here.
    page = Page()
    page.feed(chromium("--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", url))
    picture = os.path.abspath("page.png")
    chromium("--window-size=1200,2400", "--screenshot=" + picture, url)

    errors = []

    def check(condition, message):
        if not condition:
            errors.append(message)

    check(" ".join(page.text.get("headline", "").split()) == headline,
          f"the headline is not the first line of the text: "
          f"{page.text.get('headline')!r}")
    check("explained" in page.text.get("title", ""), "the page has no title")
    check(page.counts.get("h1") == 1, "the page has not one main heading")
    check(page.counts.get("script", 0) == 0, "the page has a script")
    check(page.counts.get("img", 0) == 0, "a name became an element")
    check(not page.outside, f"the page asks for {page.outside}")
    check("Roofline" in page.text.get("roofline-title", ""), "no roofline plot")
    check(page.counts.get("circle", 0) >= 1, "no region in the roofline plot")
    check({"regions", "roofline", "decisions", "graph"} <= page.ids,
          f"sections are missing: {sorted(page.ids)}")
    check(page.links and set(page.links) <= page.ids,
          f"links lead nowhere: {set(page.links) - page.ids}")
    check(page.counts.get("caption", 0) >= 1 and page.counts.get("th", 0) >= 8,
          "the table of regions has no caption or no headings")
    check("static_transpose" in page.text.get("main", ""), "a region is missing")
    check("onerror=alert(1)" in page.text.get("main", ""),
          "the name of an argument is not shown as text")
    check(os.path.getsize(picture) > 10000, "the screenshot is empty")
    sys.exit("\n".join(errors) or 0)


main()
