#!/usr/bin/env python3
"""Reads a report of jwarp conform --json. Arguments: the name of the run, and the requirements that its peer breaks, the main one first.
One line: PASS if just one of those is charged, or nothing where nothing is broken. TALLY names a file that keeps what wrong peers are charged
with; --score reads it: how right the charges are."""
import collections
import json
import os
import sys


def score():
    """Of the charges, the part that is right; of the peers, the part whose fault is charged. Two right charges for one fault are one."""
    with open(os.environ['TALLY']) as tally:
        rows = [[int(number) for number in line.split()] for line in tally]
    right, wrong = sum(row[0] for row in rows), sum(row[1] for row in rows)
    if rows:
        print('%d wrong peers: precision %.3f (%d of %d charges), recall %.3f (%d of %d)' % (
            len(rows), right / max(1, right + wrong), right, right + wrong, right / len(rows), right, len(rows)), flush=True)
    return 0


def main():
    if sys.argv[1:] == ['--score']:
        return score()
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
    if breaks and os.environ.get('TALLY'):
        with open(os.environ['TALLY'], 'a') as tally:
            print(int(bool(own)), len(others), file=tally)
    if breaks:
        words = 'breaks %s: %s, %d others charged' % (breaks[0], 'seen' if own else 'NOT SEEN', len(others))
    else:
        words = '%d charged' % len(others)
    numbers = ', '.join('%d %s' % (count[verdict], verdict) for verdict in ('pass', 'fail', 'inconclusive', 'skipped'))
    shown = ' '.join(others[:6] + ['…'] * (len(others) > 6))
    print('%-7s %s: %s%s (%s)' % ('PASS' if good else 'FAIL', name, words, ': ' + shown if shown else '', numbers), flush=True)
    return 0 if good else 1


sys.exit(main())
