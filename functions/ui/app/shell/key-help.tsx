import { Dialog } from '../components/dialog.tsx'
import { Scroller } from '../components/scroller.tsx'
import { listedKeys, places } from './key-table.ts'
import { keyed } from './nav.ts'
import { closeOverlay } from './overlay.ts'

type Listed = { written: string; does: string }

const toViews: readonly Listed[] = keyed.map(({ key, label }) => ({
  written: `g ${key}`,
  does: label,
}))

export const KeyHelp = () => (
  <Dialog isOpen onClose={closeOverlay} title="Keys">
    <Scroller
      role="group"
      label="List of keys"
      className="grid min-h-0 grid-cols-1 content-start gap-x-8 gap-y-4 overflow-y-auto px-4 py-3 sm:grid-cols-2"
    >
      <div className="flex flex-col gap-4">
        {places.map((place) => (
          <Group key={place} title={place} keys={listedKeys(place)} />
        ))}
      </div>
      <Group title="Go to" keys={toViews} />
    </Scroller>
  </Dialog>
)

const Group = ({ title, keys }: { title: string; keys: readonly Listed[] }) => (
  <section aria-label={title}>
    <h3 className="pb-1 text-xs text-muted-foreground">{title}</h3>
    <dl>
      {keys.map(({ written, does }) => (
        <div key={written} className="flex min-h-8 items-center justify-between gap-3 border-b">
          <dt>{does}</dt>
          <dd>
            <kbd className="rounded border bg-muted px-1.5 py-0.5 font-sans text-xs whitespace-nowrap">
              {written}
            </kbd>
          </dd>
        </div>
      ))}
    </dl>
  </section>
)
