import { expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect } from './client.ts'
import { openedService } from './opened-service.ts'
import { scriptedTask } from './scripted.ts'

// Settings of its own: a budget holds the tasks of all.
const service = openedService({ AGENT_ADAPTERS: 'test/fixtures/agents/scripted.ts' })

it('a task waits for the monthly budget that others have used up, and starts when an admin raises it', async () => {
  const { client, create, task, perform, untilTask } = connect(service().baseUrl)
  const set = (monthlyUsd: number) => client.changeSettings({ body: { budget: { monthlyUsd } } })
  await set(1)
  const spent = await perform(scriptedTask('Spends it', { costUsd: 1 }))
  expect(spent).toMatchObject({ status: 'completed', cost: { usd: 1, source: 'provider' } })
  const waits = async (title: string) => {
    const { id } = await create(scriptedTask(title, { costUsd: 0.5 }))
    await until(async () => ((await task(id)).waitingFor === 'budget' ? true : undefined))
    return id
  }
  const ids = [await waits('Waits'), await waits('Waits too')]
  const told = await until(async () => {
    const { notifications } = await client.listNotifications()
    return notifications.length > 0 ? notifications : undefined
  })
  expect(told).toMatchObject([{ type: 'budget_reached', title: 'The monthly budget of $1.00 is used up' }])
  expect(await client.taskAnalytics()).toMatchObject({
    costUsd: 1,
    costByAgent: { scripted: 1 },
    costByUser: { local: 1 },
    daily: [{ costUsd: 1 }],
  })
  await set(10)
  for (const id of ids) expect(await untilTask(id, 'completed')).toMatchObject({ attempts: 1 })
})
