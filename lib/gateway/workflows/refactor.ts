import type { Workflow } from './workflow.ts'

export const refactor: Workflow = {
  purpose:
    'Apply a refactoring pattern so that the code is easier to change, while it does exactly what it did before.',
  steps: [
    'Name the pattern to apply and the places it concerns. If the request names a goal but no pattern, choose the simplest one that reaches it.',
    'Read the code, find every use of what you will move or rename (strings, configuration and documentation included), and note what is public and must keep its form.',
    'Run the tests first, so that you know what passed before you began. Where the code is not covered, add tests that pin down what it does now.',
    'Go in small steps that each leave the code working. Run the tests after each one.',
    'Remove what the refactoring made unnecessary: dead code, forwarding functions, imports, comments that no longer hold.',
    'Compare before and after: the same public interface, the same results, the same errors, no slower in a way that matters.',
  ],
  handIn: [
    'The pattern, where it was applied, and what is better for it.',
    'What you changed, file by file, in one line each.',
    'How you know that the behaviour is the same: the commands that you ran before and after, and what they said.',
    'Defects that you noticed on the way. They are not fixed here.',
  ],
  never: [
    'Do not change behaviour, fix defects, or alter public names, formats and messages, unless the request says so.',
    'Do not reformat or rename what the refactoring does not touch.',
    'Do not introduce abstractions with a single use, or dependencies.',
    'Do not go on while tests fail: go back to the last step that worked.',
  ],
}
