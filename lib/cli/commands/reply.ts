import { defineCommand } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { sendReply } from '../reply.ts'

export const reply = defineCommand({
  name: 'reply',
  usage: '<task id> "<message>"',
  about: 'Reply to a task. Its agent continues with the message as the next turn of the thread.',
  details: `Use - as the message to read it from standard input. The turn is followed as run follows a task, with the same exit codes. If a
turn of the thread is still waiting or running, the message waits for it to end: its id is printed, and the command exits 0.`,
  options: {
    wait: {
      type: 'boolean',
      about: 'follow the turn until it ends (default); --no-wait prints its id and returns',
    },
  },
  words: [2, 2],
  run: async ({ values, words: [id = '', given = ''], terminal, service }) => {
    const content = given === '-' ? await terminal.input() : given
    if (content.trim() === '') throw new UsageError('The message is empty', 'reply')
    const { wait = true, json = false } = values
    return sendReply({ id, content, wait, json }, service(), terminal)
  },
})
