import { createHash } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { createS3Memory, MEMORY_PREFIX } from '../lib/adapters/aws/s3-memory.ts'
import { createClock } from '../lib/adapters/node/clock.ts'
import { createFolderMemory } from '../lib/adapters/node/folder-memory.ts'

/**
 * Makes the memory files in the bucket those of `MEMORY_DIR`, as an operator would copy them there. Without that
 * folder the bucket keeps what it has.
 */
export const seedMemory = async (client: S3Client, bucket: string, folder: string): Promise<void> => {
  const source = createFolderMemory({ folder, clock: createClock() })
  const place = (path: string) => ({ Bucket: bucket, Key: MEMORY_PREFIX + path })
  const there = new Map(
    (await createS3Memory({ client, bucket }).list()).map(({ path, tag }) => [path, tag] as const),
  )
  const files = await source.list()
  for (const { path } of files) {
    const bytes = await source.read(path)
    if (bytes === undefined || bytes === 'too_large') continue
    // What has not changed is not put again: its tag would be the same.
    if (there.get(path)?.replaceAll('"', '') === createHash('md5').update(bytes).digest('hex')) continue
    await client.send(new PutObjectCommand({ ...place(path), Body: bytes, ContentType: 'text/markdown' }))
  }
  if (files.length === 0) return
  const kept = new Set(files.map(({ path }) => path))
  for (const path of there.keys())
    if (!kept.has(path)) await client.send(new DeleteObjectCommand(place(path)))
}
