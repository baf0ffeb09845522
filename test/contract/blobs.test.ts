import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { createBucket, createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { createMemoryBlobs } from '../../lib/adapters/memory/blobs.ts'
import { createFolderBlobs } from '../../lib/adapters/node/folder-blobs.ts'
import { CREDENTIALS, REGION, startSqsAndS3 } from '../../offline/emulators.ts'
import { blobsContract } from './blobs.ts'

blobsContract('in memory', async () => ({ blobs: createMemoryBlobs(), close: async () => undefined }), {
  failure: 'there is nothing behind it that could fail',
})

blobsContract('in a folder', async () => {
  const above = await mkdtemp(join(tmpdir(), 'blobs-'))
  const folder = join(above, 'files')
  const breakDown = () => rm(folder, { recursive: true })
  return { blobs: createFolderBlobs({ folder }), breakDown, close: () => rm(above, { recursive: true }) }
})

const openS3 = async (prefix?: string) => {
  const { endpoint, stop } = await startSqsAndS3()
  const settings = {
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  }
  const client = new S3Client(settings)
  await createBucket(client, 'files')
  const blobs = createS3Blobs({ client, bucket: 'files', ...(prefix !== undefined && { prefix }) })
  const close = async () => {
    client.destroy()
    await stop()
  }
  return { blobs, breakDown: stop, close }
}

const emulated = {
  'full size': 'fauxqs takes at most 11 MB',
  order: 'fauxqs sorts as people do, not as S3 does',
}
blobsContract('in S3', () => openS3(), emulated)
blobsContract('in S3 under a prefix', () => openS3('some/where-'), emulated)
