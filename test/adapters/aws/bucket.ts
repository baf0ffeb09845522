import { S3Client } from '@aws-sdk/client-s3'
import { createBucket } from '../../../lib/adapters/aws/s3.ts'
import { CREDENTIALS, REGION, startSqsAndS3 } from '../../../offline/emulators.ts'

/** A client of an emulator, or of a proxy before one, that asks once and no more. */
export const s3Client = (endpoint: string): S3Client =>
  new S3Client({ endpoint, region: REGION, credentials: CREDENTIALS, forcePathStyle: true, maxAttempts: 1 })

/** An emulator of S3 with an empty bucket. `breakDown` ends the emulator, `stop` the client as well. */
export const startBucket = async (bucket = 'files') => {
  const { endpoint, stop: breakDown } = await startSqsAndS3()
  const client = s3Client(endpoint)
  await createBucket(client, bucket)
  const stop = async () => {
    client.destroy()
    await breakDown()
  }
  return { endpoint, client, bucket, breakDown, stop }
}
