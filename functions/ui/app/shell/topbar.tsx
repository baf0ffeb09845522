import { Link, useMatch } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Mark } from './mark.tsx'
import { openCreate, overlay } from './overlay.ts'

export const Topbar = () => {
  // The head of a task has the way back instead.
  const isOnTask = useMatch({ from: '/tasks/$id', shouldThrow: false }) !== undefined
  if (isOnTask) return null
  return <Bar />
}

const Bar = () => (
  <header className="flex h-12 shrink-0 items-center gap-1 border-b bg-card pr-2 pl-4 md:hidden">
    <Link to="/" className="flex flex-1 items-center gap-1.5 font-semibold">
      <Mark /> Agent Tasks
    </Link>
    <Button kind="ghost" size="icon" aria-label="Search" onClick={() => overlay.set('palette')}>
      <Search size={16} />
    </Button>
    <Button kind="primary" size="icon" aria-label="Create task" onClick={openCreate}>
      <Plus size={15} />
    </Button>
  </header>
)
