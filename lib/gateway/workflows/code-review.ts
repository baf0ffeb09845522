import type { Workflow } from './workflow.ts'

export const codeReview: Workflow = {
  purpose: 'Review a code change and report what its author should know before it is merged.',
  steps: [
    'Find out what to review. The request names a branch, a commit, a diff or files; if it names none, review what the branch changes against the point where it left the main branch.',
    'Read the whole diff once for its intent. Say to yourself in one sentence what it is meant to do.',
    'Read the code around each change: callers, callees, types, configuration and the tests that cover it.',
    'Look for defects in this order: wrong results, lost or corrupted data, security (input that is trusted, secrets, permissions), races and failure paths, resource use, then clarity.',
    'Verify each suspicion before you report it: follow the values through the code, or run an existing test. Drop what you cannot support.',
    'Check that tests cover the new behaviour and would fail without it.',
  ],
  handIn: [
    'A verdict in the first line: approve, approve with remarks, or request changes, with the main reason.',
    'The findings, most severe first. Each has file and line, severity (blocker, major or minor), what goes wrong and for which input, and a concrete fix.',
    'What you did not review, and why.',
  ],
  never: [
    'Do not change any file: this is a review.',
    'Do not report matters of taste or what a formatter or linter would decide.',
    'Do not report the same finding twice; name the other places in the first one.',
    'If nothing is wrong, say so. An empty list of findings is a good result; an invented finding is not.',
  ],
}
