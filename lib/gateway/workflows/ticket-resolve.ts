import type { Workflow } from './workflow.ts'

export const ticketResolve: Workflow = {
  purpose: 'Work a ticket from its description to a change that is ready for review.',
  steps: [
    'Restate the ticket: what happens now, what should happen, and how one can tell that it is done. Where it leaves something open, take the smallest reading that serves its purpose and note the assumption.',
    'Find the code that is concerned, and read it with its tests before you change anything.',
    'For a defect, reproduce it first, best with a test that fails. For a feature, decide where it belongs in what is there.',
    'Find the cause, not only the symptom. Look whether the same mistake is made elsewhere.',
    'Make the smallest change that resolves the ticket, in the style of the code around it.',
    'Add or adjust tests so that they fail without the change and pass with it.',
    'Run the tests, type checks and linters that the project has, and fix what your change broke.',
    'Read your own diff as a reviewer would, and take out whatever the ticket does not need.',
  ],
  handIn: [
    'The cause, or for a feature the design, in two or three sentences.',
    'What you changed, file by file, in one line each.',
    'How you checked it: the commands that you ran and what they said.',
    'Your assumptions, and what is left to do or to decide.',
  ],
  never: [
    'Do not mix in clean-ups, renames or upgrades that the ticket does not ask for.',
    'Do not weaken, skip or delete a test to make it pass.',
    'Do not claim that something works which you have not run; say that you could not, and why.',
    'If the ticket cannot be resolved as it stands, change nothing and say what is missing.',
  ],
}
