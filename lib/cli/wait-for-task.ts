import { EXIT } from './exit-codes.ts'
import { followTask } from './follow.ts'
import { createLogLines } from './log-lines.ts'
import { exitCode, showOutcome } from './outcome.ts'
import type { Service } from './service.ts'
import { interruptible, type Terminal } from './terminal.ts'

/** Follows a task to its end and prints its outcome. Resolves to the exit code. */
export const waitForTask = async (
  id: string,
  service: Service,
  terminal: Terminal,
  json: boolean,
): Promise<number> => {
  const { say } = terminal
  using waiting = interruptible()
  if (!json) say(`${id}  ${service.url}/tasks/${id}`)
  const silent = { task: () => undefined, session: () => undefined, finish: () => undefined }
  const print = json ? silent : createLogLines(terminal, say, { isBeforeOutput: true })
  const left = `Follow the task: agent-tasks logs -f ${id}\nCancel the task: agent-tasks cancel ${id}`
  try {
    const task = await followTask({ service, id, print, signal: waiting.signal })
    if (!json) return showOutcome(task, terminal)
    terminal.json({ task })
    return exitCode(task)
  } catch (error) {
    print.finish()
    if (!waiting.signal.aborted) {
      say(`${id} may still be running.\n${left}`)
      throw error
    }
    say(`\n${id} is still running.\n${left}`)
    return EXIT.interrupted
  }
}
