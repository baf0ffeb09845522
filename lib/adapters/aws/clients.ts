import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'

type Place = { region: string; endpoint?: string | undefined }

/** A call is made four times at most; then it has failed. */
const MOST_ATTEMPTS = 4

const settings = ({ region, endpoint }: Place) => ({
  region,
  maxAttempts: MOST_ATTEMPTS,
  ...(endpoint === undefined ? {} : { endpoint }),
})

/** Clients of one region, or of emulators. Credentials are those of the environment, as everywhere on AWS. */
export const openDynamoDb = (place: Place): DynamoDBClient => new DynamoDBClient(settings(place))
export const openS3 = (place: Place): S3Client =>
  new S3Client({ ...settings(place), forcePathStyle: place.endpoint !== undefined })
