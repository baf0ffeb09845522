import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from '@jest/globals'
import { createS3Memory } from '../../lib/adapters/aws/s3-memory.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFolderMemory } from '../../lib/adapters/node/folder-memory.ts'
import type { MemoryFiles } from '../../lib/ports/memory-files.ts'
import { startBucket } from '../adapters/aws/bucket.ts'
import { createWorld, storedPaths } from './world.ts'

const MIB = 2 ** 20

type Place = {
  files: MemoryFiles
  put(path: string, bytes: string | Uint8Array): Promise<unknown>
  putLarge(path: string, size: number): Promise<unknown>
  remove(path: string): Promise<unknown>
  close(): Promise<unknown>
}

const inFolder = async (): Promise<Place & { root: string }> => {
  const root = await mkdtemp(join(tmpdir(), 'memory-'))
  const at = (path: string) => join(root, 'memory', path)
  const put = async (path: string, bytes: string | Uint8Array) => {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), bytes)
  }
  return {
    root,
    put,
    files: createFolderMemory({ folder: join(root, 'memory'), clock: createClock() }),
    putLarge: async (path, size) => {
      await put(path, '')
      await truncate(at(path), size)
    },
    remove: (path) => rm(at(path)),
    close: () => rm(root, { recursive: true }),
  }
}

const inBucket = async (): Promise<Place> => {
  const { client, bucket: Bucket, stop: close } = await startBucket()
  const put = (path: string, bytes: string | Uint8Array) =>
    client.send(new PutObjectCommand({ Bucket, Key: `memory/${path}`, Body: Buffer.from(bytes) }))
  return {
    put,
    close,
    files: createS3Memory({ client, bucket: Bucket }),
    // The emulator takes no request of 50 MB.
    putLarge: (path, size) => put(path, Buffer.alloc(Math.min(size, 8 * MIB))),
    remove: (path) => client.send(new DeleteObjectCommand({ Bucket, Key: `memory/${path}` })),
  }
}

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('a sync of %s', (_where, open) => {
  it('takes in what it can, names what it cannot and why, and passes over what has vanished since it looked', async () => {
    const place = await open()
    await using world = createWorld()
    try {
      await place.put('notes/fit.md', '# Release\n\nSteps.')
      await place.put('vanishes.md', '# Release')
      await place.put('latin.md', Uint8Array.of(0x23, 0x20, 0x63, 0x61, 0x66, 0xe9))
      await place.put('program.md', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 0))
      await place.putLarge('huge.md', 50 * MIB)
      const read: string[] = []
      const files: MemoryFiles = {
        ...place.files,
        read: async (path) => {
          read.push(path)
          if (path === 'vanishes.md') await place.remove(path)
          return place.files.read(path)
        },
      }
      const memory = world.process({ files })
      expect(await memory.sync()).toEqual({
        synced: 1,
        added: 1,
        updated: 0,
        removed: 0,
        skipped: [
          { path: 'huge.md', reason: 'too_large' },
          { path: 'latin.md', reason: 'not_utf8' },
          { path: 'program.md', reason: 'binary' },
        ],
      })
      expect(read).not.toContain('huge.md')
      expect(await storedPaths(memory)).toEqual(['notes/fit.md'])
      const { method, chunks } = await memory.search({ query: 'release', maxResults: 6 })
      expect([method, chunks.map(({ path }) => path)]).toEqual(['lexical', ['notes/fit.md']])
      expect((await memory.excluded.list({ limit: 9 })).files).toHaveLength(3)
    } finally {
      await place.close()
    }
  })
})

it('a sync of a folder names links that lead out of it, and reads nothing through them', async () => {
  const place = await inFolder()
  await using world = createWorld()
  try {
    await place.put('fit.md', '# Release')
    await mkdir(join(place.root, 'outside'))
    await writeFile(join(place.root, 'outside', 'secret.md'), '# Secret')
    await symlink(join(place.root, 'outside', 'secret.md'), join(place.root, 'memory', 'link.md'))
    await symlink(join(place.root, 'outside'), join(place.root, 'memory', 'up'))
    const memory = world.process({ files: place.files })
    expect(await memory.sync()).toMatchObject({
      synced: 1,
      skipped: [
        { path: 'link.md', reason: 'link' },
        { path: 'up/', reason: 'link' },
      ],
    })
    expect((await memory.search({ query: 'secret', maxResults: 6 })).count).toBe(0)
  } finally {
    await place.close()
  }
})
