import { Dialog as Base } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { type MenuEntry, menu } from './nav.ts'
import { closeOverlay, overlay } from './overlay.ts'
import { Foot, Nav } from './sidebar.tsx'

const SHOWN = 4

const placeClass =
  'flex h-full w-full flex-col items-center justify-center gap-0.5 text-[0.6875rem] text-muted-foreground data-[status=active]:font-medium data-[status=active]:text-foreground'

/** On phones: the first places of the menu, and a drawer with all. */
export const BottomBar = () => (
  <>
    <nav aria-label="Main places" className="h-14 shrink-0 border-t bg-card md:hidden">
      <ul className="grid h-full grid-cols-5">
        {menu
          .filter((_, at) => at < SHOWN)
          .map((entry) => (
            <Place key={entry.to} entry={entry} />
          ))}
        <li>
          <button type="button" className={placeClass} onClick={() => overlay.set('menu')}>
            <Menu size={18} /> Menu
          </button>
        </li>
      </ul>
    </nav>
    <Drawer />
  </>
)

const Place = ({ entry: { to, label, icon: Icon, Badge } }: { entry: MenuEntry }) => (
  <li>
    <Link to={to} activeOptions={{ includeSearch: false }} className={`relative ${placeClass}`}>
      <Icon size={18} /> {label}
      {Badge && (
        <span className="absolute top-1 left-1/2 ml-1 flex">
          <Badge />
        </span>
      )}
    </Link>
  </li>
)

const Drawer = () => (
  <Base.Root open={overlay.use() === 'menu'} onOpenChange={(open) => !open && closeOverlay()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/35 dark:bg-black/40" />
      <Base.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r bg-card transition-transform duration-150 data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
        <Base.Title className="sr-only">Menu</Base.Title>
        <Nav onFollow={closeOverlay} />
        <Foot />
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)
