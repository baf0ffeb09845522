import { readdirSync, writeFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { startService, temporaryFolder } from '../journeys/service.ts'

/** Starts the service with a place for what Node makes of TypeScript, and stops it again. */
const startedWith = async (place: string, folder: ReturnType<typeof temporaryFolder>) => {
  const service = await startService({ env: { DATA_DIR: folder.in('data'), NODE_COMPILE_CACHE: place } })
  return service.stop()
}

it('keeps what Node makes of TypeScript for the next start', async () => {
  using folder = temporaryFolder()
  const place = folder.in('compiled')
  expect((await startedWith(place, folder)).code).toBe(0)
  const kept = () => readdirSync(place, { recursive: true }).length
  const first = kept()
  expect(first).toBeGreaterThan(100)
  expect((await startedWith(place, folder)).code).toBe(0)
  expect(kept()).toBe(first)
})

it('starts where nothing can be kept', async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.in('file'), '')
  const { code, stderr } = await startedWith(folder.in('file'), folder)
  expect([code, stderr]).toEqual([0, ''])
})
