import { rmSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { startService, temporaryFolder } from '../journeys/service.ts'

const warnings = (output: string) => output.split('\n').filter((line) => line.includes('"level":"warn"'))

describe('a service whose key file is lost', () => {
  it('says so once at each start, and is there for everything else', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, ANTHROPIC_API_KEY: 'never-used' }
    const begin = () => startService({ env })
    await using first = await begin()
    expect((await fetch(`${first.baseUrl}/api/devices/identity`)).status).toBe(200)
    await first.stop()
    await using second = await begin()
    expect(warnings(second.output())).toEqual([])
    await second.stop()

    rmSync(folder.in('encryption.key'))
    // The first of these makes a key file anew, which opens nothing of what there was.
    for (const _start of [1, 2]) {
      await using service = await begin()
      expect(warnings(service.output())).toEqual([
        expect.stringMatching(/devices\/identity.*encryption\.key back from a backup/),
      ])
      const attest = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"data": {}}' }
      expect((await fetch(`${service.baseUrl}/api/devices/attest`, attest)).status).toBe(503)
      expect((await fetch(`${service.baseUrl}/api/tasks`)).status).toBe(200)
      await service.stop()
      expect(warnings(service.output())).toHaveLength(1)
    }
  })
})
