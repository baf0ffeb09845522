import { Dialog as Base } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { Inbox, Menu, Plus, Search } from 'lucide-react'
import { Button, buttonClass } from '../components/button.tsx'
import { useInboxCounts } from '../data/inbox.ts'
import { InboxBadge } from './inbox-badge.tsx'
import { Mark } from './mark.tsx'
import { closeOverlay, openCreate, overlay } from './overlay.ts'
import { Foot, Nav } from './sidebar.tsx'

export const Topbar = () => (
  <header className="flex h-12 shrink-0 items-center gap-1 border-b bg-card px-2 md:hidden">
    <MenuButton />
    <Link to="/" className="flex flex-1 items-center gap-1 font-semibold">
      <Mark /> Agent Tasks
    </Link>
    <Button kind="ghost" size="icon" aria-label="Search" onClick={() => overlay.set('palette')}>
      <Search size={16} />
    </Button>
    <Link to="/inbox" className={`relative ${buttonClass({ kind: 'ghost', size: 'icon' })}`}>
      <Inbox size={16} />
      <span className="sr-only">Inbox</span>
      <span className="absolute -top-0.5 -right-1 flex">
        <InboxBadge />
      </span>
    </Link>
    <Button kind="primary" size="icon" aria-label="Create task" onClick={openCreate}>
      <Plus size={15} />
    </Button>
    <Drawer />
  </header>
)

/** The menu hides the badges, so the button has a dot. */
const MenuButton = () => {
  const waiting = useInboxCounts()?.ofKind.approval ?? 0
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label={waiting > 0 ? `Menu, ${waiting} waiting for approval` : 'Menu'}
      className="relative"
      onClick={() => overlay.set('menu')}
    >
      <Menu size={17} />
      {waiting > 0 && <span className="absolute top-1 right-1 size-2 rounded-full bg-destructive" />}
    </Button>
  )
}

const Drawer = () => (
  <Base.Root open={overlay.use() === 'menu'} onOpenChange={(open) => !open && closeOverlay()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/35 dark:bg-black/60" />
      <Base.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r bg-card transition-transform duration-150 data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
        <Base.Title className="sr-only">Menu</Base.Title>
        <Nav onFollow={closeOverlay} />
        <Foot />
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)
