import { messageOf } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'

type Needs = { settings: { refresh(): Promise<void> | undefined }; log: Pick<Log, 'warn'> }

/** Reads the settings again. Where that fails, those of a moment ago stand: no message has to wait for them. */
export const refreshSettings = async ({ settings, log }: Needs): Promise<void> => {
  try {
    await settings.refresh()
  } catch (thrown) {
    log.warn({ reason: messageOf(thrown) }, 'settings were not read')
  }
}
