import { expect, it } from '@jest/globals'
import { createClient } from '../../lib/api/client.ts'
import { runnerRoutes } from '../../lib/runners/contract.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { openedService } from '../journeys/opened-service.ts'

const service = openedService()
const CODING = 'coding-agent'

it('a service that has the demo model alone leaves its agent to runners that have it, drained ones too', async () => {
  const { client, create, perform } = connect(service().baseUrl)
  const agent = async () => (await client.listAgents()).agents.find(({ type }) => type === CODING)
  const task = { title: 'Say it', prompt: 'demo: say it', assignedAgent: CODING }
  expect(await agent()).toMatchObject({ inService: true, runners: [] })
  await perform(task)

  const { token } = await client.createToken({ body: { name: 'runner', scopes: ['runner'] } })
  const headers = { authorization: `Bearer ${token}` }
  const runners = createClient(runnerRoutes, { baseUrl: service().baseUrl, headers })
  const body = { name: 'build-1', version: '1', agents: [CODING], concurrency: 10 }
  const { runner } = await runners.registerRunner({ body })
  expect(await agent()).toMatchObject({ inService: false, runners: ['build-1'] })

  const claimed = new Map<string, number>()
  const claim = async (waitMs: number) => {
    const running = [...claimed].map(([taskId, fence]) => ({ taskId, fence }))
    const request = { params: { id: runner.id }, body: { waitMs, most: 10, running } }
    const response = await runners.claimTask.raw(request)
    if (response.status === 204) return
    const { claim: first, more = [] } = (await response.json()) as Claimed
    for (const { task, fence } of [first, ...more].filter((one) => one !== undefined))
      claimed.set(task.id, fence)
  }
  // The service looks for runners every few seconds.
  await until(async () => {
    await create(task)
    await claim(500)
    return claimed.size > 0 || undefined
  })
  const later = await Promise.all([1, 2, 3, 4, 5].map(() => create(task)))
  await until(async () => {
    await claim(500)
    return later.every(({ id }) => claimed.has(id)) || undefined
  })

  await client.drainRunner({ params: { id: runner.id }, body: {} })
  expect(await agent()).toMatchObject({ inService: false, runners: [] })
  const { id } = await create(task)
  const waiting = await until(async () => (await client.getTask({ params: { id } })).task.waiting)
  expect(waiting).toMatchObject({ reason: 'runner' })
})

type Claim = { task: { id: string }; fence: number }
type Claimed = { claim?: Claim; more?: Claim[] }
