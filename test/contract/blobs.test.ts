import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { startBucket } from '../adapters/aws/bucket.ts'
import { createMemoryBlobs } from '../fakes/memory-blobs.ts'
import { blobsContract } from './blobs.ts'

blobsContract('in memory', async () => ({ blobs: createMemoryBlobs(), close: async () => undefined }), {
  failure: 'there is nothing behind it that could fail',
})

const openS3 = async (prefix?: string) => {
  const { client, bucket, breakDown, stop: close } = await startBucket()
  const blobs = createS3Blobs({ client, bucket, ...(prefix !== undefined && { prefix }) })
  return { blobs, breakDown, close }
}

const emulated = {
  'full size': 'fauxqs takes at most 11 MB',
  order: 'fauxqs sorts as people do, not as S3 does',
}
blobsContract('in S3', () => openS3(), emulated)
blobsContract('in S3 under a prefix', () => openS3('some/where-'), emulated)
