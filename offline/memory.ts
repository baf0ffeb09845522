import { createHash } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { createS3Memory, MEMORY_PREFIX } from '../lib/adapters/aws/s3-memory.ts'
import { createClock } from '../lib/adapters/node/clock.ts'
import { createFolderMemory } from '../lib/adapters/node/folder-memory.ts'

/**
 * Copies the memory files of `MEMORY_DIR` to the bucket, as an operator would. Without that folder the bucket keeps its
 * files.
 */
export const seedMemory = async (client: S3Client, bucket: string, folder: string): Promise<void> => {
  const source = createFolderMemory({ folder, clock: createClock() })
  const place = (path: string) => ({ Bucket: bucket, Key: MEMORY_PREFIX + path })
  const tags = new Map(
    (await createS3Memory({ client, bucket }).list()).map(({ path, tag }) => [path, tag] as const),
  )
  const files = await source.list()
  for (const { path } of files) {
    const bytes = await source.read(path)
    if (bytes === undefined || bytes === 'too_large') continue
    // An unchanged file is not written again: its tag would be the same.
    if (tags.get(path)?.replaceAll('"', '') === createHash('md5').update(bytes).digest('hex')) continue
    await client.send(new PutObjectCommand({ ...place(path), Body: bytes, ContentType: 'text/markdown' }))
  }
  if (files.length === 0) return
  const paths = new Set(files.map(({ path }) => path))
  for (const path of tags.keys())
    if (!paths.has(path)) await client.send(new DeleteObjectCommand(place(path)))
}
