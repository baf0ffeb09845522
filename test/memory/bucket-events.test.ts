import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openCloud } from '../../lib/app/cloud.ts'
import { openCloudPorts } from '../../lib/app/cloud-ports.ts'
import type { Config } from '../../lib/config/config.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { bucketEvent, TEST_EVENT } from '../deploy/bucket-event.ts'
import { startCloud } from '../deploy/cloud.ts'
import { type Functions, loadFunctions } from '../deploy/functions.ts'

if (!hasDynoxide()) process.stderr.write('SKIPPED: this emulator of DynamoDB knows no transactions\n')

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: Functions

type Seen = { lastSync: string | null; paths: string[] }

/** What memory has, as another function sees it. */
const seen = async (): Promise<Seen> => {
  let result: Seen = { lastSync: null, paths: [] }
  await functions.as('tick', async (config: Config) => {
    const { memory } = await openCloud(config)
    const [{ lastSync }, { files }] = await Promise.all([memory.stats(), memory.files.list({ limit: 200 })])
    result = { lastSync, paths: files.map(({ path }) => path) }
  })
  return result
}

const report = (...events: readonly string[]) => functions.feedTexts('memory', 'memory-events', ...events)

const suite = hasDynoxide() ? describe : describe.skip
suite('what the bucket reports about memory files', () => {
  beforeAll(async () => {
    cloud = await startCloud()
    functions = loadFunctions(cloud)
  })
  afterAll(async () => {
    functions?.stop()
    await cloud?.stop()
  })

  it('is taken in by one sync, though events come twice, late, out of order, or for a file that is gone', async () => {
    await cloud.putFile('a.md', '# A')
    await cloud.putFile('team/b.md', '# B')
    const put = ['a.md', 'team/b.md', 'gone.md'].map((name) => bucketEvent('ObjectCreated:Put', name))
    const removal = bucketEvent('ObjectRemoved:Delete', 'gone.md', '2026-11-25T16:59:00.000Z')
    expect(await report(TEST_EVENT, removal, ...put, ...put)).toBe(0)
    const first = await seen()
    expect(first).toEqual({ lastSync: expect.any(String), paths: ['a.md', 'team/b.md'] })
    expect(await report(...put, removal)).toBe(0)
    expect(await seen()).toEqual(first)

    await cloud.removeFile('a.md')
    // The removal is overtaken by the report of the put before it.
    expect(await report(bucketEvent('ObjectCreated:Put', 'a.md'))).toBe(0)
    const after = await seen()
    expect(after.paths).toEqual(['team/b.md'])
    expect(await report(bucketEvent('ObjectRemoved:DeleteMarkerCreated', 'a.md'))).toBe(0)
    expect(await seen()).toEqual(after)
  })

  it('comes again when storage does not answer', async () => {
    expect(await functions.feedInVain('memory', 'ai-tasks', bucketEvent('ObjectCreated:Put', 'a.md'))).toBe(1)
  })

  it.each([
    [undefined, true],
    ['http://127.0.0.1:9', false],
  ])(
    'is what a watcher answers: with the endpoint %s of S3, changes are reported: %s',
    async (S3_ENDPOINT, watching) => {
      await functions.as('memory', async (config) => {
        const { watchingMemory } = openCloudPorts({ ...config, S3_ENDPOINT })
        expect(watchingMemory()).toEqual({ enabled: true, watching })
      })
    },
  )
})
