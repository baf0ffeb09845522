import { defineCommand } from '../command.ts'
import { findTaskId } from '../short-id.ts'

export const cancel = defineCommand({
  name: 'cancel',
  usage: '<task id>',
  about: 'Cancel a task that has not ended.',
  options: {},
  words: [1, 1],
  run: async ({ values, words: [given = ''], terminal, service }) => {
    const connected = service()
    const id = await findTaskId(connected, given)
    const answer = await connected.client.cancelTask({ params: { id } })
    if (values.json) terminal.json(answer)
    else terminal.out(`${id} is cancelled`)
    const { messages = [] } = answer
    if (messages.length > 0)
      terminal.say(
        `${messages.length === 1 ? '1 waiting message starts' : `${messages.length} waiting messages start`} the next turn of its thread. To stop the thread, cancel that turn too.`,
      )
  },
})
