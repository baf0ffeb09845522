import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect } from './client.ts'
import { isOffline, type Service, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: a stack of functions is not killed while a task waits\n')
const oneProcess = isOffline ? it.skip : it

const folder = temporaryFolder()
const env = { DATA_DIR: folder.in('data') }
let service: Service
beforeAll(async () => {
  service = await startService({ env })
})
afterAll(async () => {
  await service?.kill9()
  folder[Symbol.dispose]()
})

const here = () => connect(service.baseUrl)

/** A task that waits for the approval of its only call. */
const waiting = async () => {
  const { client, create, task } = here()
  const prompt = 'demo: tool write_file {"path":"a.txt","content":"one"}\ndemo: say Done'
  const { id } = await create({
    title: 'Write',
    prompt,
    metadata: { securityMode: 'ask' },
  })
  const waits = await until(async () => {
    const found = await task(id)
    return found.waitingFor === 'approval' ? found : undefined
  })
  const approval = await until(async () =>
    (await client.listApprovals()).approvals.find(({ taskId }) => taskId === id),
  )
  return { id, waits, approval }
}

describe('a task that waits for an approval', () => {
  oneProcess('goes on waiting after a kill, and is decided then', async () => {
    const { id, waits, approval } = await waiting()
    const before = await here().events(id)
    await service.kill9()
    service = await startService({ env })
    const { client, untilTask, task, events } = here()
    // A task that is created later has run: whatever the start does is done.
    await client.createTask({ body: { title: 'Later', prompt: 'demo: say Later' } })
    await until(
      async () => (await client.listTasks({ query: { status: 'completed' } })).total > 0 || undefined,
    )
    expect(await task(id)).toMatchObject({ status: 'in_progress', attempts: 1, waiting: waits.waiting })
    expect(await events(id)).toEqual(before)
    await client.decideApproval({ params: { id: approval.id }, body: { decision: 'allow-once' } })
    expect(await untilTask(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { filesChanged: [{ path: 'a.txt' }] },
    })
  })
})
