import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import { newTask, taskOptions } from '../new-task.ts'
import { sendReply } from '../reply.ts'
import { waitForTask } from '../wait-for-task.ts'

/** A reply has the agent, the place and the limits of its thread. */
const refuseBesideContinue = (options: Readonly<Record<string, unknown>>): void => {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (name !== undefined) throw new UsageError(`--continue cannot be combined with --${name}`, 'run')
}

export const run = defineCommand({
  name: 'run',
  usage: '"<prompt>" [options]',
  about: 'Create a task, follow its log, and print its output and changes.',
  details: `Use - as the prompt to read it from standard input. The log goes to standard error, the output to standard output.
Exits 0 when the task completes, 1 when it fails, 2 when it is cancelled. Ctrl-C leaves it running.`,
  options: {
    ...taskOptions,
    continue: {
      type: 'string',
      value: 'task id',
      about: 'reply to this task instead of creating one: the next turn of its thread',
    },
    wait: {
      type: 'boolean',
      about: 'follow the task until it ends (default); --no-wait returns once it is queued',
    },
  },
  words: [1, 1],
  run: async ({ values, words: [given = ''], terminal, service }) => {
    const prompt = given === '-' ? await terminal.input() : given
    if (prompt.trim() === '') throw new UsageError('The prompt is empty', 'run')
    const { wait = true, json = false, continue: continued, ...more } = values
    if (continued !== undefined) {
      refuseBesideContinue(more)
      return sendReply({ id: continued, content: prompt, wait, json }, service(), terminal)
    }
    const connected = service()
    const { task } = await connected.client.createTask({ body: newTask(prompt, values, 'run') })
    if (wait) return waitForTask(task.id, connected, terminal, json)
    if (json) terminal.json({ task })
    else terminal.out(task.id)
    return EXIT.done
  },
})
