import { defineCommand } from '../command.ts'

export const cancel = defineCommand({
  name: 'cancel',
  usage: '<task id>',
  about: 'Cancel a task that has not ended.',
  options: {},
  words: [1, 1],
  run: async ({ values, words: [id = ''], terminal, service }) => {
    const answer = await service().client.cancelTask({ params: { id } })
    if (values.json) terminal.json(answer)
    else terminal.out(`${id} is cancelled`)
    const { messages = [] } = answer
    if (messages.length > 0)
      terminal.say(
        `${messages.length === 1 ? '1 message that waited begins' : `${messages.length} messages that waited begin`} the next turn of its thread. Cancel that turn too to stop all`,
      )
  },
})
