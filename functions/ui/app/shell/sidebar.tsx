import { Link } from '@tanstack/react-router'
import { Keyboard, Plus, Search } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { withCommand } from '../components/platform.ts'
import { Mark } from './mark.tsx'
import { docs, type MenuEntry, menu } from './nav.ts'
import { openCreate, overlay } from './overlay.ts'
import { ThemeButton } from './theme-button.tsx'
import { UserMenu } from './user-menu.tsx'

export const Sidebar = () => (
  <aside className="hidden h-full w-54 shrink-0 flex-col border-r bg-card md:flex">
    <div className="flex h-12 items-center gap-2 pr-2 pl-4">
      <Link to="/" className="flex flex-1 items-center gap-2 font-semibold">
        <Mark /> Agent Tasks
      </Link>
    </div>
    <div className="flex gap-1.5 px-3 pb-2">
      <Button className="flex-1 text-muted-foreground" onClick={() => overlay.set('palette')}>
        <Search size={14} /> Search
        <kbd className="ml-auto font-sans text-xs">{withCommand('K', ' ')}</kbd>
      </Button>
      <Button size="icon" aria-label="Create task" title="Create task (c)" onClick={openCreate}>
        <Plus size={15} />
      </Button>
    </div>
    <Nav />
    <Foot />
  </aside>
)

const entryClass =
  'flex h-8 items-center gap-2.5 rounded-md px-2 text-muted-foreground hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:font-medium data-[status=active]:text-foreground max-md:h-11'

export const Nav = ({ onFollow }: { onFollow?: () => void }) => (
  <nav aria-label="Menu" className="flex flex-1 flex-col overflow-y-auto px-3 py-1">
    <ul className="flex flex-col gap-px">
      {menu.map((entry) => (
        <Entry key={entry.to} entry={entry} onFollow={onFollow} />
      ))}
    </ul>
    <ul className="mt-auto pt-3">
      <Entry entry={docs} onFollow={onFollow} />
    </ul>
  </nav>
)

type EntryProps = { entry: MenuEntry; onFollow: (() => void) | undefined }

const Entry = ({ entry: { to, label, icon: Icon, Badge }, onFollow }: EntryProps) => (
  <li>
    <Link to={to} onClick={onFollow} activeOptions={{ includeSearch: false }} className={entryClass}>
      <Icon size={15} /> {label}
      {Badge && <Badge />}
    </Link>
  </li>
)

export const Foot = () => (
  <div className="flex items-center border-t py-2 pr-1.5 pl-3">
    <UserMenu />
    <Button kind="ghost" size="icon" aria-label="Keys" title="Keys (?)" onClick={() => overlay.set('keys')}>
      <Keyboard size={15} />
    </Button>
    <ThemeButton />
  </div>
)
