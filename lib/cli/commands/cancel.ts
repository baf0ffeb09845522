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
        `${messages.length === 1 ? '1 message that waited begins' : `${messages.length} messages that waited begin`} the next turn of its thread. Cancel that turn too to stop all`,
      )
  },
})
