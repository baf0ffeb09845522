import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { type Cloud, openCloud } from '../crash/cloud.ts'
import { type Api, ask, taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'

const ROUNDS = 3

let cloud: Cloud
let api: Api
beforeAll(async () => {
  cloud = await openCloud({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
  api = taskApi(cloud.baseUrl)
  await Promise.all([cloud.launchWorker(), cloud.launchConsumer()].map(({ ready }) => ready))
})
afterAll(() => cloud[Symbol.asyncDispose]())

describe('a webhook of the cloud', () => {
  it('gets every event that follows the answer to its registration', async () => {
    await using receiver = await startReceiver()
    // Each function has read the settings, in which there is no webhook, or not the next one.
    await api.untilTask((await api.create(scriptedTask('before'))).id, 'completed')
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = `${receiver.url}/${round}`
      const body = { url, events: ['*'] }
      expect((await ask(`${cloud.baseUrl}/api/webhooks`, 'POST', body)).status).toBe(201)
      const { id } = await api.create(scriptedTask(`round ${round}`))
      await api.untilTask(id, 'completed')
      const heard = () =>
        receiver.heard
          .filter(({ path }) => path.endsWith(`/${round}`))
          .map(({ body: text }) => JSON.parse(text))
          .filter(({ payload }) => payload.id === id || payload.taskId === id)
          .map(({ event }) => event)
      await until(() => heard().length >= 4 || undefined)
      expect(heard().sort()).toEqual(['agent.finished', 'agent.started', 'task.completed', 'task.created'])
    }
  })
})
