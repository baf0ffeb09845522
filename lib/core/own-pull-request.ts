const TASK = String.raw`task_\w+`

/** The branches of a task on a code host, the preferred first: git has no `agent/x` beside a branch `agent`. */
export const ownBranches = (taskId: string): readonly [string, string] => [
  `agent/${taskId}`,
  `agent-${taskId}`,
]
const OWN_BRANCH = new RegExp(`^agent[/-]${TASK}$`)

/** The last line of a pull request that a task opened. */
export const madeBy = (taskId: string): string => `Made by an agent for the task ${taskId}`
const MADE_BY = new RegExp(`^Made by an agent for the task ${TASK}\\b`)

/** Whether a task of this service opened a pull request: its branch or its last line says so. */
export const isOwnPullRequest = (branch: string | undefined, body: string | undefined): boolean =>
  OWN_BRANCH.test(branch ?? '') || MADE_BY.test(body?.trimEnd().split('\n').at(-1) ?? '')
