#!/usr/bin/env python3
"""Reads a report of jwarp conform --json. Arguments: the name of the run, and the requirements that its peer breaks, the main one first.
One line: PASS if just one of those is charged, or nothing where nothing is broken."""
import collections
import json
import sys


def main():
    name, breaks = sys.argv[1], sys.argv[2].split()
    try:
        report = json.load(sys.stdin)
    except ValueError:
        report = {'error': 'no report'}
    if not report.get('result'):
        print('FAIL    %s: %s' % (name, report['error']), flush=True)
        return 1
    cases = report['result']['cases']
    count = collections.Counter(case['verdict'] for case in cases)
    # A failed case is charged to what it shows to be broken, an inconclusive one to that because of which it shows nothing.
    charged = {case['charged'] for case in cases if case.get('charged') and not case['known']}
    own = charged & set(breaks)
    others = sorted(charged - set(breaks))
    good = bool(own) == bool(breaks) and not others and (breaks or (count['pass'] and not count['inconclusive']))
    if breaks:
        words = 'breaks %s: %s, %d others charged' % (breaks[0], 'seen' if own else 'NOT SEEN', len(others))
    else:
        words = '%d charged' % len(others)
    numbers = ', '.join('%d %s' % (count[verdict], verdict) for verdict in ('pass', 'fail', 'inconclusive', 'skipped'))
    shown = ' '.join(others[:6] + ['…'] * (len(others) > 6))
    print('%-7s %s: %s%s (%s)' % ('PASS' if good else 'FAIL', name, words, ': ' + shown if shown else '', numbers), flush=True)
    return 0 if good else 1


sys.exit(main())
