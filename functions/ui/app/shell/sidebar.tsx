import { Link } from '@tanstack/react-router'
import { Keyboard, Plus, Search } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { withCommand } from '../components/platform.ts'
import { Mark } from './mark.tsx'
import { nav } from './nav.ts'
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

export const Nav = ({ onFollow }: { onFollow?: () => void }) => (
  <nav aria-label="Views" className="flex-1 overflow-y-auto px-3">
    {nav.map(({ group, entries }) => (
      <div key={group} className="pt-3">
        <p className="px-2 pb-1 text-xs text-muted-foreground">{group}</p>
        <ul className="flex flex-col gap-px">
          {entries.map(({ to, label, icon: Icon, Badge }) => (
            <li key={to}>
              <Link
                to={to}
                {...(onFollow ? { onClick: onFollow } : {})}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-muted-foreground hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:font-medium data-[status=active]:text-foreground"
              >
                <Icon size={15} /> {label}
                {Badge && <Badge />}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
)

export const Foot = () => (
  <div className="flex items-center gap-1 border-t px-3 py-2">
    <UserMenu />
    <Button kind="ghost" size="icon" aria-label="Keys" title="Keys (?)" onClick={() => overlay.set('keys')}>
      <Keyboard size={15} />
    </Button>
    <ThemeButton />
  </div>
)
