// A menu at a cell of the list, with filters for its value. One menu serves all cells. Its button is visible, and can
// be reached by Tab, while its row is pointed at, focused or expanded.
import { type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../components/icon.tsx';
import type { CellChoice } from './column-filter.ts';

export interface CellMenuHandle {
  readonly open: (button: HTMLElement, choices: readonly CellChoice[]) => void;
}

export function CellMenu({ ref }: { readonly ref: Ref<CellMenuHandle> }) {
  const popover = useRef<HTMLDivElement>(null);
  const [choices, setChoices] = useState<readonly CellChoice[]>([]);
  useImperativeHandle(ref, () => ({
    open(button, next) {
      setChoices(next);
      const menu = popover.current;
      if (!menu) return;
      const { left, bottom } = button.getBoundingClientRect();
      menu.style.left = `${Math.min(left, window.innerWidth - MENU_WIDTH) + window.scrollX}px`;
      menu.style.top = `${bottom + window.scrollY + 4}px`;
      menu.showPopover();
    },
  }));
  return (
    <div popover="auto" ref={popover} className="popover cell-menu">
      {choices.map(({ text, path }, at) => (
        <Link
          key={path}
          href={path}
          className="button bare"
          ref={at === 0 ? focusWhenShown : undefined}
          onClick={() => popover.current?.hidePopover()}
        >
          {text}
        </Link>
      ))}
    </div>
  );
}

/** As wide as the style says, with a margin. */
const MENU_WIDTH = 176;

/** The choices are rendered after the menu was opened. */
function focusWhenShown(link: HTMLAnchorElement | null): void {
  link?.focus();
}

interface MenuCellProps {
  /** Follows "Filter by" in the accessible name. */
  readonly what: string;
  readonly onOpen: (button: HTMLElement) => void;
  readonly children: ReactNode;
}

export function MenuCell({ what, onOpen, children }: MenuCellProps) {
  return (
    <span className="menu-cell">
      {children}
      <button
        type="button"
        className="button bare"
        aria-label={`Filter by ${what}`}
        title={`Filter by ${what}`}
        onClick={(event) => onOpen(event.currentTarget)}
      >
        <Icon name="filter" />
      </button>
    </span>
  );
}
