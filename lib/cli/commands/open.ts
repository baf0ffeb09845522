import { openInBrowser } from '../browser.ts'
import { defineCommand } from '../command.ts'
import { findTaskId } from '../short-id.ts'

export const open = defineCommand({
  name: 'open',
  usage: '<task id>',
  about: 'Open a task in the browser. Without a browser, print its URL.',
  options: {},
  words: [1, 1],
  run: async ({ values, words: [given = ''], env, terminal, service }) => {
    const connected = service()
    const { client, url } = connected
    const id = await findTaskId(connected, given)
    const { task } = await client.getTask({ params: { id } })
    const page = `${url}/tasks/${encodeURIComponent(task.id)}`
    if (values.json) terminal.json({ url: page })
    else {
      await openInBrowser(page, env)
      terminal.out(page)
    }
  },
})
