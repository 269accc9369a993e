# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of unittest as TAP, one for each method."""
import sys
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.n = 0

    def report(self, test, problem=None):
        self.n += 1
        print(f'{"not ok" if problem else "ok"} {self.n} {test.id().replace("__main__.", "")}')
        sys.stdout.flush()
        if problem:
            # Where a person reads it: what runs the tests keeps standard output for itself.
            print(problem, file=sys.stderr, flush=True)

    def addSuccess(self, test):
        self.report(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.report(test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.report(test, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.n += 1
        print(f'ok {self.n} {test.id().replace("__main__.", "")} # SKIP {reason}')

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.report(subtest, self._exc_info_to_string(err, subtest))


def main():
    """Runs the tests of the program: all, or those named on the command line."""
    module = sys.modules['__main__']
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)
    result = TapResult()
    suite.run(result)
    print(f'1..{result.n}')
    sys.exit(0 if result.wasSuccessful() else 1)
