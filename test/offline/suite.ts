import { describe } from '@jest/globals'
import { isOffline } from '../journeys/service.ts'

if (!isOffline) process.stderr.write('SKIPPED: npm run offline is tested by npm run test:offline\n')

/** What is true of `npm run offline` beside the journeys, which it shares with `npm start`. */
export const describeOffline = isOffline ? describe : describe.skip
