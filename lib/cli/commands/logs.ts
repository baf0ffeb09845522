import { defineCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { followTask } from '../follow.ts'
import { createLogLines } from '../log-lines.ts'
import { exitCode } from '../outcome.ts'
import { findTaskId } from '../short-id.ts'

const never = new AbortController().signal

export const logs = defineCommand({
  name: 'logs',
  usage: '<task id> [-f]',
  about: 'Print the event log of a task.',
  details: `With -f the log is followed until the task ends, including what its agent says and does, and the exit code is that of
agent-tasks run. With --json the line is printed when the log is complete.`,
  options: { follow: { type: 'boolean', short: 'f', about: 'follow the log until the task ends' } },
  words: [1, 1],
  run: async ({ values: { follow = false, json = false }, words: [given = ''], terminal, service }) => {
    const connected = service()
    const id = await findTaskId(connected, given)
    const lines = createLogLines(terminal, terminal.out, { said: false })
    const readEvents = () => connected.client.taskEvents({ params: { id } })
    if (!follow) {
      const answer = await readEvents()
      if (json) terminal.json(answer)
      else for (const event of answer.events) lines.task(event)
      return EXIT.done
    }
    const print = json ? { task: () => undefined, session: () => undefined } : lines
    const task = await followTask({ service: connected, id, print, signal: never })
    if (json) terminal.json(await readEvents())
    return exitCode(task)
  },
})
