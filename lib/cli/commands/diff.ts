import { defineCommand } from '../command.ts'
import { findTaskId } from '../short-id.ts'

/** The last line of a diff that the agent cut to the size of a result. */
const CUT_OFF = /^\[diff truncated at .*\]\n$/m

export const diff = defineCommand({
  name: 'diff',
  usage: '<task id>',
  about: 'Print the changes of a task as a patch for git apply.',
  details: `Apply it in a checkout of the same repository: agent-tasks diff <task id> | git apply
Exits 1 when the task has no diff, or when the diff was too large to store completely.`,
  options: {},
  words: [1, 1],
  run: async ({ values, words: [given = ''], terminal, service }) => {
    const connected = service()
    const id = await findTaskId(connected, given)
    const { task } = await connected.client.getTask({ params: { id } })
    const { diff: patch, branch } = { ...task.result } as Record<string, unknown>
    if (typeof patch !== 'string' || patch === '') throw new Error(`${id} is ${task.status} and has no diff`)
    if (CUT_OFF.test(patch))
      throw new Error(
        `The diff of ${id} was too large to store completely${branch ? `. Use its branch instead: ${branch}` : ''}`,
      )
    if (values.json) terminal.json({ taskId: id, diff: patch })
    else terminal.write(patch)
  },
})
