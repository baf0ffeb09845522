import { secretSegment } from '../../core/secret-path.ts'
import { firstRefusal, type Guard } from './guard.ts'

/** Refuses environment and credential files, by the name that was given and by the file it really leads to. */
export const secretExfiltration: Guard = {
  name: 'secret-exfiltration',
  refuses: ({ paths }) =>
    firstRefusal(paths, ({ given, real }) => {
      const found = secretSegment(given) ?? secretSegment(real ?? '')
      return found && `${found} may hold credentials and is off limits. Go on without it.`
    }),
}
