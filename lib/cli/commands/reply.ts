import { defineCommand } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { sendReply } from '../reply.ts'

export const reply = defineCommand({
  name: 'reply',
  usage: '<task id> "<message>"',
  about: 'Reply to a task: its agent goes on with the message, as the next turn of its thread.',
  details: `The message - is read from standard input. The turn is followed as run follows a task, with the same exit codes. While a
turn of the thread waits or runs, the message waits for its end: the id of the message is printed, and it exits 0.`,
  options: {
    wait: {
      type: 'boolean',
      about: 'follow the turn to its end, as is the default; --no-wait prints its id and returns',
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
