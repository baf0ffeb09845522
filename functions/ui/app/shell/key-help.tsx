import { Dialog } from '../components/dialog.tsx'
import { Scroller } from '../components/scroller.tsx'
import { keyHelp } from './keys.ts'
import { destinations } from './nav.ts'
import { closeOverlay } from './overlay.ts'

export const KeyHelp = () => (
  <Dialog isOpen onClose={closeOverlay} title="Keys">
    <Scroller role="group" label="List of keys" className="min-h-0 overflow-y-auto px-4 py-3">
      <dl className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        {[...keyHelp, ...destinations.map(({ key, label }) => [`g ${key}`, label] as const)].map(
          ([keys, label]) => (
            <div key={keys} className="flex h-8 items-center justify-between gap-3 border-b">
              <dt>{label}</dt>
              <dd>
                <kbd className="rounded border bg-muted px-1.5 py-0.5 font-sans text-xs">{keys}</kbd>
              </dd>
            </div>
          ),
        )}
      </dl>
    </Scroller>
  </Dialog>
)
