import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { checkBlobKey } from '../../core/blob.ts'
import type { Archive, Draft } from '../../ports/archive.ts'
import { throwUnavailable } from './failure.ts'

/** The smallest part of a multipart upload, except the last (5 MiB). With 10,000 parts a document has up to 52 GB. */
export const PART_BYTES = 5 * 1_048_576

/** S3 checks these sums; an upload and its parts must name the same algorithm. */
const CHECKSUM = { ChecksumAlgorithm: 'CRC32' } as const

const throwArchiveUnavailable = throwUnavailable('archive_unavailable', 'The archive')

type Place = { Bucket: string; Key: string }
type Needs = {
  /** Its settings define retries and time limits. */
  client: S3Client
  bucket: string
}

/**
 * Documents as objects of an S3 bucket: one request for a document of one part, else a multipart upload, which becomes an
 * object when it is completed. Each document holds one part in memory. A rule of the bucket removes uploads that a dead
 * process left. The role needs `s3:PutObject` and `s3:AbortMultipartUpload`.
 */
export const createS3Archive = ({ client, bucket }: Needs): Archive => ({
  begin: (key) => openDraft(client, { Bucket: bucket, Key: checkBlobKey(key) }),
})

const openDraft = (client: S3Client, place: Place): Draft => {
  let part = Buffer.alloc(0)
  let filled = 0
  let upload: Upload | undefined
  /** Sends the gathered bytes; the next bytes are gathered after S3 has answered. */
  const flush = async () => {
    upload ??= await beginUpload(client, place)
    await upload.add(part.subarray(0, filled))
    filled = 0
  }
  const write = async (text: string) => {
    const bytes = Buffer.from(text)
    if (part.length === 0) part = Buffer.allocUnsafe(PART_BYTES)
    for (let at = 0; at < bytes.length; ) {
      if (filled === PART_BYTES) await flush()
      const taken = bytes.copy(part, filled, at)
      filled += taken
      at += taken
    }
  }
  const close = async () => {
    if (upload === undefined) return putWhole(client, place, part.subarray(0, filled))
    await flush()
    await upload.complete()
  }
  return {
    write: (text) => write(text).catch(throwArchiveUnavailable),
    close: () => close().catch(throwArchiveUnavailable),
    abort: async () => upload?.abort().catch(throwArchiveUnavailable),
  }
}

type Upload = Awaited<ReturnType<typeof beginUpload>>

const beginUpload = async (client: S3Client, place: Place) => {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...place, ...CHECKSUM, ContentType: 'application/json' }),
  )
  const upload = { ...place, UploadId }
  const Parts: CompletedPart[] = []
  return {
    add: async (Body: Uint8Array) => {
      const PartNumber = Parts.length + 1
      const { ETag, ChecksumCRC32 } = await client.send(
        new UploadPartCommand({ ...upload, ...CHECKSUM, PartNumber, Body }),
      )
      Parts.push({ PartNumber, ETag, ChecksumCRC32 })
    },
    complete: async () => {
      await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
    },
    abort: async () => {
      await client.send(new AbortMultipartUploadCommand(upload))
    },
  }
}

const putWhole = async (client: S3Client, place: Place, Body: Uint8Array) => {
  await client.send(new PutObjectCommand({ ...place, ...CHECKSUM, ContentType: 'application/json', Body }))
}
