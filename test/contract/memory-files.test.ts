import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from '@jest/globals'
import { createS3Memory } from '../../lib/adapters/aws/s3-memory.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFolderMemory } from '../../lib/adapters/node/folder-memory.ts'
import { startBucket } from '../adapters/aws/bucket.ts'
import { memoryFilesContract, type OpenMemory } from './memory-files.ts'
import { withOpened } from './test-of.ts'

/** A clock by which everything there is was written long ago. */
const later = { ...createClock(), now: () => Date.parse('2200-01-01') }

/** To the system's admin nothing is closed, so that one reads as another user meanwhile. */
const asAnyone = async <T>(work: () => Promise<T>): Promise<T> => {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

const openFolder = async () => {
  const above = await mkdtemp(join(tmpdir(), 'memory-'))
  const folder = join(above, 'memory')
  const put: OpenMemory['put'] = async (path, bytes) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
  }
  return {
    above,
    folder,
    put,
    files: createFolderMemory({ folder, clock: later }),
    remove: (path: string) => rm(join(folder, path)),
    // Leads to a name that no file can have, since to the system's admin nothing is closed.
    breakDown: async () => {
      await symlink(join(above, 'x'.repeat(300)), folder)
    },
    close: () => rm(above, { recursive: true, force: true }),
  }
}

const openS3 = async () => {
  const { client, bucket: Bucket, breakDown, stop: close } = await startBucket()
  const put: OpenMemory['put'] = async (path, bytes) => {
    const Body = Buffer.from(bytes)
    await client.send(new PutObjectCommand({ Bucket, Key: `memory/${path}`, Body }))
  }
  return {
    client,
    put,
    files: createS3Memory({ client, bucket: Bucket }),
    breakDown,
    close,
    remove: async (path: string) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key: `memory/${path}` }))
    },
  }
}

memoryFilesContract('in a folder', openFolder)
memoryFilesContract('in S3', openS3)

describe('memory files in a folder', () => {
  const inFolder = (test: (opened: Awaited<ReturnType<typeof openFolder>>) => Promise<void>) =>
    withOpened(openFolder, test)

  it(
    'are not those that links lead to, which are named',
    inFolder(async ({ above, folder, files, put }) => {
      await put('real/a.md', 'inside')
      await writeFile(join(above, 'secret.md'), 'outside')
      await symlink(join(above, 'secret.md'), join(folder, 'link.md'))
      await symlink(above, join(folder, 'up'))
      await symlink(join(folder, 'real'), join(folder, 'again'))
      await symlink('/etc/hostname', join(folder, 'no-markdown'))
      await symlink(join(above, 'nowhere'), join(folder, 'dead.md'))
      expect((await files.list()).map(({ path, unfit }) => [path, unfit])).toEqual([
        ['again/', 'link'],
        ['dead.md', 'link'],
        ['link.md', 'link'],
        ['real/a.md', undefined],
        ['up/', 'link'],
      ])
      for (const path of ['link.md', 'dead.md', 'up/secret.md', 'again/a.md'])
        expect([path, await files.read(path)]).toEqual([path, undefined])
    }),
  )

  it(
    'are named whatever bytes their names and folders have, and however deep those lie',
    inFolder(async ({ folder, files, put }) => {
      await put('fit.md', 'text')
      const bytes = (...names: (string | number)[]) =>
        Buffer.concat([
          Buffer.from(`${folder}/`),
          ...names.map((name) => Buffer.from(name === 255 ? [255] : String(name))),
        ])
      await writeFile(bytes('caf', 255, '.md'), 'text')
      await writeFile(bytes('two\nlines.md'), 'text')
      await writeFile(bytes('.hid', 255, '.md'), 'text')
      await mkdir(bytes(255))
      await writeFile(bytes(255, '/a.md'), 'text')
      // Deeper than a path can name.
      const dig = 'for i in $(seq 25); do mkdir "$1"; cd "$1"; done; echo text > deep.md'
      execFileSync('bash', ['-c', dig, 'dig', 'd'.repeat(250)], { cwd: folder })
      expect((await files.list()).map(({ path, unfit }) => [path, unfit])).toEqual([
        ['\\xff/', 'bad_name'],
        ['caf\\xff.md', 'bad_name'],
        [`${`${'d'.repeat(250)}/`.repeat(4)}`, 'path_too_long'],
        ['fit.md', undefined],
        ['two\nlines.md', 'bad_name'],
      ])
      execFileSync('rm', ['-rf', folder])
    }),
  )

  it(
    'are named where their folder is closed, or may be listed and not entered',
    inFolder(async ({ above, folder, files, put }) => {
      for (const path of ['closed/a.md', 'fit.md', 'listed/a.md']) await put(path, 'text')
      const [closed, listed] = [join(folder, 'closed'), join(folder, 'listed')]
      await chmod(above, 0o755)
      await chmod(closed, 0)
      await chmod(listed, 0o444)
      try {
        const found = await asAnyone(() => files.list())
        expect(found.map(({ path, unfit }) => [path, unfit])).toEqual([
          ['closed/', 'unreadable'],
          ['fit.md', undefined],
          ['listed/a.md', 'unreadable'],
        ])
      } finally {
        for (const each of [closed, listed]) await chmod(each, 0o755)
      }
    }),
  )

  it(
    'may be in a folder that is a link itself',
    inFolder(async ({ above, put }) => {
      await put('a.md', 'text')
      await symlink(join(above, 'memory'), join(above, 'link'))
      const files = createFolderMemory({ folder: join(above, 'link'), clock: later })
      expect(String(await files.read('a.md'))).toBe('text')
    }),
  )

  it(
    'are no pipes, which never end',
    inFolder(async ({ folder, files, put }) => {
      await put('a.md', 'text')
      execFileSync('mkfifo', [join(folder, 'pipe.md')])
      expect((await files.list()).map(({ path }) => path)).toEqual(['a.md'])
      expect(await files.read('pipe.md')).toBeUndefined()
    }),
  )

  it(
    'have a new tag each time for as long as they may be written again in the same tick of the clock',
    inFolder(async ({ folder, put }) => {
      let ms = Date.now()
      const clock = { ...createClock(), now: () => (ms += 1) }
      const files = createFolderMemory({ folder, clock })
      await put('a.md', 'text')
      const tag = async () => (await files.list())[0]?.tag
      expect(await tag()).not.toBe(await tag())
      ms += 60_000
      expect(await tag()).toBe(await tag())
    }),
  )
})
