const TASK = String.raw`task_\w+`

/** The branch that a task has for itself on a code host. */
export const ownBranchOf = (taskId: string): string => `agent/${taskId}`
const OWN_BRANCH = new RegExp(`^agent/${TASK}$`)

/** What the last line of a pull request says that a task has opened. */
export const madeBy = (taskId: string): string => `Made by an agent for the task ${taskId}`
const MADE_BY = new RegExp(`^Made by an agent for the task ${TASK}\\b`)

/** Whether a task of this service has opened a pull request: by its branch, or by what it says of itself. */
export const isOwnPullRequest = (branch: string | undefined, body: string | undefined): boolean =>
  OWN_BRANCH.test(branch ?? '') || MADE_BY.test(body?.trimEnd().split('\n').at(-1) ?? '')
