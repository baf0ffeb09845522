import { expect, it } from '@jest/globals'
import { createChangeConsumer } from '../../lib/adapters/aws/dynamodb/change-consumer.ts'
import { createDynamoStore } from '../../lib/adapters/aws/dynamodb/store.ts'
import { createTables, tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { startDynalite } from '../../offline/emulators.ts'
import { recordWrites } from '../../offline/write-records.ts'
import { openClient } from '../adapters/dynamodb/opened.ts'
import { job, jobs, samples } from '../contract/store-samples.ts'
import { createFakeLog } from '../fakes/log.ts'

it('writes to an emulator without streams and transactions are counted and sent all the same', async () => {
  const dynalite = await startDynalite()
  const tableName = ({ name }: { name: string }) => `writes-${name}`
  const definitions = tableDefinitions(samples, tableName)
  const recorder = await recordWrites(dynalite.endpoint, definitions)
  const client = openClient(recorder.endpoint)
  const clock = createClock()
  const log = createFakeLog()
  const sent: string[] = []
  const deliver = async (messages: readonly { id: string }[]) =>
    void sent.push(...messages.map(({ id }) => id))
  const fed = await recorder.follow(
    createChangeConsumer({ client, collections: samples, clock, tableName, deliver, log }),
    log,
  )
  await createTables(client, definitions)
  const store = createDynamoStore({ client, collections: samples, clock, random: Math.random, tableName })
  await Promise.all(['a', 'b', 'c'].map((id) => store.commit({ insert: jobs, row: job(id) })))
  await store.commit({ update: jobs, key: 'a', set: { state: 'ready' }, log: [{ id: 'e1' }] })
  await store.commit({ remove: jobs, key: 'b' }, [{ insert: jobs, row: job('d') }])
  expect(await store.commit({ remove: jobs, key: 'd' }, [{ insert: jobs, row: job('a') }])).toMatchObject({
    applied: false,
    refused: 1,
  })
  expect(await store.commit({ insert: jobs, row: job('a') })).toMatchObject({
    applied: false,
    row: { id: 'a', state: 'ready' },
  })
  expect(
    await store.commit({ update: jobs, key: 'a', when: { state: 'new' }, set: {} }, [
      { insert: jobs, row: job('e') },
    ]),
  ).toMatchObject({ applied: false, row: { id: 'a' }, refused: 0 })
  await fed.stop()
  expect(await store.counters('jobs')).toEqual({ all: { new: 1, ready: 1, total: 2 } })
  expect(sent).toEqual(['e1', 'run_a'])
  await store.close()
  client.destroy()
  await recorder.stop()
  await dynalite.stop()
})
