import type { Workflow } from './workflow.ts'

export const testGeneration: Workflow = {
  purpose:
    'Write tests that would catch the mistakes somebody could make in the code that the request names.',
  steps: [
    'Find the code under test and read it, with its callers and what it promises: documentation, types, names.',
    'Find out how this project tests: framework, folders, naming, fixtures and fakes, and the command that runs the tests. Use what is there.',
    'List the behaviours that are worth a test: the ordinary case, the edges (empty, one, many, largest, duplicates, other alphabets), invalid input, failures of what the code depends on, and concurrency where there is any.',
    'Write the tests, one behaviour each, named by the behaviour. Assert results that others can see, not how they come about.',
    'Run them. For each one, make sure that it can fail: break the code in the way it guards against, see it fail, and restore the code.',
    'Run the whole suite to see that nothing else was disturbed, and run your tests twice to see that they do not depend on order, time or chance.',
  ],
  handIn: [
    'The test files that you added or changed, and the command that runs them.',
    'The behaviours that are covered now, in one line each.',
    'Defects that the tests brought to light, with the test that shows each.',
    'What you left untested, and why.',
  ],
  never: [
    'Do not change the code under test, not even to make it easier to test; say what would help instead.',
    'Do not assert what the code does today where that is plainly wrong: report it as a defect.',
    'Do not write tests that repeat the implementation, that only count calls of mocks, or that sleep.',
    'Do not add a testing library while the project has one that will do.',
  ],
}
