// Each static rule: when it speaks, and when it does not, with the reason in the title.
import { describe, expect, test } from 'vitest';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { tool, withArgument } from './evidence.ts';

/** What a rule says of some tools: `level tool argument`, in order. */
function findingsOf(rule: string, tools: readonly ToolDefinition[]): string[] {
  return lintTools(tools, { pedantic: true })
    .filter((finding) => finding.rule === rule)
    .map(({ level, tool: name, argument }) => [level, name || '*', argument].filter(Boolean).join(' '));
}

type Row = readonly [
  rule: string,
  tools: readonly ToolDefinition[],
  expected: readonly string[],
  because: string,
];

const describedTool = (name: string, description: string, over: Partial<ToolDefinition> = {}) =>
  tool(name, { description, ...over });
const key = { type: 'object', properties: { id: { type: 'string' } } };
const siblings = ['get_order', 'list_orders', 'cancel_order', 'refund_order'].map((name) => tool(name));
const manyTools = (count: number) => Array.from({ length: count }, (_, at) => tool(`get_thing_${at}`));

const withArguments = (properties: object) =>
  tool('save_note', { inputSchema: { type: 'object', properties } });

/** Input schemas, and the arguments at which TD038 finds a contradiction. */
function schemaRows(
  rows: readonly (readonly [schema: object, found: readonly string[], because: string])[],
): Row[] {
  return rows.map(([schema, found, because]) => [
    'TD038',
    [tool('save_note', { inputSchema: { type: 'object', ...schema } })],
    found.map((argument) => ['error save_note', argument].filter(Boolean).join(' ')),
    because,
  ]);
}

const ROWS: readonly Row[] = [
  ['TD001', [tool('execute')], ['warning execute'], 'anything can be executed'],
  ['TD001', [tool('process_data')], ['warning process_data'], 'both words fit any tool'],
  [
    'TD001',
    ['get_job', 'retry_job', 'list_queues'].map((name) => tool(name)),
    [],
    'jobs are what this server is about',
  ],
  [
    'TD001',
    ['get_job', 'retry_queue', 'list_queues'].map((name) => tool(name)),
    ['warning get_job'],
    'one tool makes no subject',
  ],
  [
    'TD001',
    ['process_data', 'get_data', 'list_queues'].map((name) => tool(name)),
    ['warning get_data', 'warning process_data'],
    'data are no subject, however many tools speak of them',
  ],
  [
    'TD001',
    ['service', 'database', 'application'].map((name) => tool(name)),
    [],
    'the server has one tool for each thing',
  ],
  ['TD001', ['service', 'database'].map((name) => tool(name)), ['warning service'], 'two names are no habit'],
  ['TD001', [tool('tool1')], ['warning tool1'], 'a number is no name'],
  ['TD001', [tool('search')], [], 'one word can be enough'],
  ['TD001', [tool('execute_sql')], [], 'it says what is executed'],
  ['TD001', [tool('run_command')], [], 'a command is a thing to run'],
  ['TD001', [tool('get_debug_output')], [], 'the output of debugging is a thing'],
  ['TD001', [tool('查询')], [], 'a name without Latin words is not judged'],

  [
    'TD002',
    [...siblings, describedTool('invoice_tree', 'Gets the invoices as a tree')],
    ['note invoice_tree'],
    'its description begins with the verb that it leaves out, and its four siblings begin with theirs',
  ],
  [
    'TD002',
    [describedTool('invoice_tree', 'Gets invoices'), describedTool('user_tree', 'Gets users')],
    [],
    'the server names things throughout',
  ],
  [
    'TD002',
    [
      ...['shop_print_sheet', 'shop_print_bill', 'shop_print_slip', 'shop_print_list'].map((name) =>
        tool(name),
      ),
      describedTool('shop_bill_history', 'Gets the bills'),
    ],
    ['note shop_bill_history'],
    'the name of the server before them changes nothing',
  ],
  [
    'TD002',
    [
      ...['run_order', 'run_bill', 'run_label', 'run_slip'].map((name) => tool(name)),
      describedTool('stock_tree', 'Gets the stock'),
    ],
    ['note stock_tree'],
    'a verb that all others begin with is no prefix',
  ],
  [
    'TD002',
    [
      ...['order_forecast', 'stock_forecast', 'price_forecast', 'wind_forecast'].map((name) => tool(name)),
      describedTool('air_info', 'Gets the quality of the air'),
    ],
    [],
    'a word that is a noun as well makes no style of verbs',
  ],
  [
    'TD002',
    [
      ...['order_search', 'stock_search', 'price_search', 'shop_search'].map((name) => tool(name)),
      describedTool('bill_history', 'Gets what became of a bill'),
    ],
    [],
    'verbs that stand last are another style',
  ],
  ['TD002', [...siblings, describedTool('orders_list', 'Gets orders')], [], 'the verb may stand last'],
  [
    'TD002',
    [...siblings, describedTool('frobnicate_stock', 'Frobnicates the stock')],
    [],
    'nobody knows that this is no verb',
  ],
  [
    'TD002',
    [...siblings, describedTool('frobnicate_gadgets', 'Gets the gadgets into their frobnicated form')],
    [],
    'a last word that nobody listed may be meant as anything',
  ],
  [
    'TD002',
    [...siblings, describedTool('batch_commands', 'Runs several commands')],
    [],
    'to run is no more than the name says',
  ],
  [
    'TD002',
    [...siblings, describedTool('directory_tree', 'Directory tree of a folder')],
    [],
    'nothing says which verb it leaves out',
  ],
  [
    'TD002',
    [
      ...siblings,
      ...['cancel_bill', 'print_bill', 'send_bill', 'read_bill'].map((name) => tool(name)),
      describedTool('bill_history', 'Gets what became of a bill'),
      describedTool('stock_status', 'Retrieves how much there is'),
    ],
    [],
    'two that read are how this server names what it reads',
  ],
  [
    'TD002',
    [
      ...siblings,
      ...['cancel_bill', 'print_bill', 'send_bill', 'read_bill'].map((name) => tool(name)),
      describedTool('bill_history', 'Deletes what became of a bill'),
      describedTool('stock_status', 'Sets how much there is'),
    ],
    ['note bill_history', 'note stock_status'],
    'who reads the names takes them for reading, and they write',
  ],
  [
    'TD002',
    [...siblings, describedTool('status', 'Gets the state of the shop')],
    [],
    'a word alone is a custom',
  ],
  [
    'TD002',
    [...siblings, describedTool('stock_status', 'Get, set or delete the state of the stock')],
    [],
    'which of the three happens is the matter of an argument',
  ],
  ['TD002', [...siblings, describedTool('id_verification', 'Verifies an id')], [], 'it says it as a noun'],
  [
    'TD002',
    [...siblings, describedTool('order_summarizer', 'Summarizes an order')],
    [],
    'who does it is named after it',
  ],
  [
    'TD002',
    [...siblings, describedTool('order_guide', 'Use it when in doubt')],
    [],
    'that is not what it does',
  ],
  [
    'TD002',
    [...siblings, describedTool('reinvite_member', 'Sends a mail')],
    [],
    'to do it again is to do it',
  ],
  [
    'TD002',
    [...siblings, describedTool('design_info', 'Reads the tokens')],
    ['note design_info'],
    'not every word that ends in a verb is one',
  ],
  [
    'TD002',
    [...siblings, describedTool('bill_history', 'Gets bills')].slice(-4),
    [],
    'three names with verbs are no style',
  ],

  ['TD003', [tool('get_order', { description: '' })], ['error get_order'], 'there is nothing to read'],
  ['TD003', [tool('get_order', { description: ' \n' })], ['error get_order'], 'blank is nothing'],
  ['TD003', [tool('get_order', { description: 'Reads.' })], [], 'a short one is another matter'],

  [
    'TD004',
    [describedTool('merge_pull_request', 'Merge a pull request')],
    ['warning merge_pull_request'],
    'the name says it all',
  ],
  [
    'TD004',
    [describedTool('listUsers', 'Lists the users.')],
    ['warning listUsers'],
    'camel case is words too',
  ],
  ['TD004', [describedTool('get_user', 'Get details on the current user')], [], 'which one is new'],
  ['TD004', [describedTool('backup_policy', 'Gets the backup policy')], [], 'that it only gets it is new'],
  ['TD004', [describedTool('build_info', 'Get information on the build')], [], 'nothing is built, it says'],
  [
    'TD004',
    [describedTool('get_users', 'Returns a list of users')],
    ['warning get_users'],
    'to return is to get',
  ],
  ['TD004', [describedTool('search_users', 'Search for users on GitHub')], [], 'GitHub is new'],
  [
    'TD004',
    [describedTool('merge_pull_request', 'Merge a pull request', { outputSchema: key })],
    [],
    'the schema says the rest',
  ],
  ['TD004', [describedTool('get_user', 'ユーザーを取得する')], [], 'another script is not judged'],

  [
    'TD005',
    [describedTool('get_order', 'Get an order by its number', { inputSchema: key })],
    ['note get_order'],
    'neither when nor what',
  ],
  [
    'TD005',
    [describedTool('get_order', 'Get an order. Returns its lines.', { inputSchema: key })],
    [],
    'it says what comes back',
  ],
  ['TD005', [describedTool('get_order', 'Use this for one order', { inputSchema: key })], [], 'it says when'],
  [
    'TD005',
    [describedTool('get_order', 'Orders of others cannot be read', { inputSchema: key })],
    [],
    'it says when not',
  ],
  [
    'TD005',
    [describedTool('get_order', 'The order as a compact YAML', { inputSchema: key })],
    [],
    'it names the form of the answer',
  ],
  [
    'TD005',
    [describedTool('list_orders', 'List the orders of a shop', { inputSchema: key })],
    [],
    'listing says what comes back',
  ],
  [
    'TD005',
    [describedTool('count_orders', 'Count the orders of a shop', { inputSchema: key })],
    [],
    'a count comes back',
  ],
  [
    'TD005',
    [describedTool('fetch_page', 'Fetch a page and convert it to plain text', { inputSchema: key })],
    [],
    'it names what it is turned into',
  ],
  [
    'TD005',
    [
      describedTool('get_order', 'Get an order by its number', { inputSchema: key }),
      ...siblings.slice(1),
      tool('get_stock'),
    ],
    [],
    'one of five is a slip',
  ],
  [
    'TD005',
    [describedTool('get_order', 'Get an order by its number', { inputSchema: key }), ...siblings.slice(1)],
    ['note get_order'],
    'one of four is a quarter',
  ],
  [
    'TD005',
    [describedTool('get_order', 'Get an order by its number')],
    [],
    'without arguments there is little to choose',
  ],
  [
    'TD005',
    [describedTool('click_button', 'Click on the provided element', { inputSchema: key })],
    [],
    'a click returns nothing',
  ],
  [
    'TD005',
    [describedTool('get_order', 'Get an order by its number', { inputSchema: key, outputSchema: key })],
    [],
    'the output schema says it',
  ],
  [
    'TD005',
    ['get_order', 'search_orders'].map((name) =>
      describedTool(name, 'Read orders of the shop by number', { inputSchema: key }),
    ),
    ['note *'],
    'it is one habit, and one finding',
  ],

  [
    'TD006',
    [
      describedTool('find_files', 'Search files by glob pattern below a folder'),
      describedTool('search_files', 'Search files by glob pattern below a folder'),
    ],
    ['warning find_files'],
    'every word is the same',
  ],
  [
    'TD006',
    [
      describedTool('find_files', 'Search project files below some folder by their glob pattern'),
      describedTool('search_files', 'Search project files below some folder by a name pattern'),
    ],
    ['note find_files'],
    'nearly every word is the same',
  ],
  [
    'TD006',
    [
      describedTool(
        'find_ticket',
        'Finds a ticket of the desk by words of its subject, with number and owner',
      ),
      describedTool(
        'search_tickets',
        'Searches tickets of the desk by words of their subject, with number and owner',
      ),
    ],
    ['note find_ticket'],
    'a verb of its own is no subject of its own',
  ],
  [
    'TD006',
    [
      describedTool('find_files', 'Search files by glob pattern below a folder'),
      describedTool(
        'search_files',
        'Search files by glob pattern below a folder. For a content search use find_files.',
      ),
    ],
    [],
    'one says when to use the other',
  ],
  [
    'TD006',
    [
      describedTool('find_files', 'Search files by glob pattern below a folder'),
      describedTool(
        'search_files',
        'Search files by glob pattern below a folder. For a content search: findFiles.',
      ),
    ],
    [],
    'it says so in another spelling',
  ],
  [
    'TD006',
    [
      describedTool('get_pod', 'A pod of the cluster by namespace and name'),
      describedTool('delete_pod', 'A pod of the cluster by namespace and name'),
    ],
    [],
    'nobody confuses opposites',
  ],
  [
    'TD006',
    [
      describedTool('delete_entities', 'Delete multiple entities from the knowledge graph store'),
      describedTool('delete_relations', 'Delete multiple relations from the knowledge graph store'),
    ],
    [],
    'they differ in the word that matters',
  ],
  [
    'TD006',
    [
      describedTool('list_branches', 'List branches of a project in pages, by the name they have'),
      describedTool(
        'list_protected_branches',
        'List protected branches of a project in pages, by the name they have',
      ),
    ],
    [],
    'one has a word more, and its description the same one',
  ],
  [
    'TD006',
    [
      describedTool('reply_mail', 'Reply to the sender of a mail with a comment of one line'),
      describedTool('reply_all_mail', 'Reply to the sender of a mail with a comment of one line'),
    ],
    ['warning reply_mail'],
    'its description is silent on the word it has more',
  ],

  [
    'TD006',
    [
      describedTool(
        'list_pods',
        'List the pods of a cluster, their nodes and restarts, from every namespace',
        {
          inputSchema: { type: 'object', properties: { label: {} } },
        },
      ),
      describedTool(
        'list_pods_there',
        'List the pods of a cluster, their nodes and restarts, from one namespace',
        {
          inputSchema: { type: 'object', properties: { label: {}, namespace: {} }, required: ['namespace'] },
        },
      ),
    ],
    [],
    'only one demands a namespace, and says so',
  ],
  [
    'TD006',
    [
      describedTool(
        'list_pods',
        'List the pods of a cluster, their nodes and restarts, from every namespace',
        {
          inputSchema: { type: 'object', properties: { label: {} } },
        },
      ),
      describedTool(
        'list_pods_there',
        'List the pods of a cluster, their nodes and restarts, from one namespace',
        {
          inputSchema: { type: 'object', properties: { label: {}, namespace: {} } },
        },
      ),
    ],
    ['note list_pods'],
    'what may be left out draws no line',
  ],

  [
    'TD006',
    [
      describedTool('list_tags', 'List all, as a query may mean tags or document types alike'),
      describedTool('list_document_types', 'List all, as a query may mean tags or document types alike'),
    ],
    [],
    'their names speak of different things',
  ],

  [
    'TD008',
    [
      withArgument('list_issues', 'state', {
        type: 'string',
        description: "One of 'open', 'closed' or 'all'",
      }),
    ],
    ['warning list_issues state'],
    'the list is closed',
  ],
  [
    'TD008',
    [withArgument('list_issues', 'state', { type: 'string', description: 'Must be open|closed' })],
    ['warning list_issues state'],
    'bars separate values',
  ],
  [
    'TD008',
    [
      withArgument('list_issues', 'state', {
        type: 'string',
        enum: ['open'],
        description: "One of 'open', 'closed'",
      }),
    ],
    [],
    'the schema has an enum',
  ],
  [
    'TD008',
    [
      withArgument('list_issues', 'kind', {
        type: 'string',
        description: "one of the kinds, e.g. 'Pod', 'Service'",
      }),
    ],
    [],
    'those are examples',
  ],
  [
    'TD008',
    [
      withArgument('list_issues', 'kind', {
        type: 'string',
        description: "possible values are 'Pod', 'Service', etc.",
      }),
    ],
    [],
    'the list is open',
  ],
  [
    'TD008',
    [withArgument('list_issues', 'page', { type: 'integer', description: "one of '1', '2'" })],
    [],
    'it is no text',
  ],
  [
    'TD008',
    [withArgument('get_note', 'path', { type: 'string', description: 'Must be a path below the root' })],
    [],
    'prose is no list',
  ],

  [
    'TD008',
    [
      withArgument('delete_cell', 'cell_id', {
        type: 'string',
        description: 'Id of a cell. The cell can be either vertex or edge.',
      }),
    ],
    [],
    'it says what a cell is, and not what its id is',
  ],
  [
    'TD008',
    [
      withArgument('list_cells', 'kind', {
        type: 'string',
        description: 'Of which kind. The value can be either vertex or edge.',
      }),
    ],
    ['warning list_cells kind'],
    'the value is that of the argument',
  ],
  [
    'TD011',
    [withArgument('list_issues', 'per_page', { type: 'number', description: 'Results per page (max 100)' })],
    ['note list_issues per_page'],
    'the maximum is only told',
  ],
  [
    'TD011',
    [withArgument('list_issues', 'per_page', { type: 'number', description: 'Between 1 and 100' })],
    ['note list_issues per_page'],
    'both bounds are only told',
  ],
  [
    'TD011',
    [withArgument('list_issues', 'per_page', { type: 'number', maximum: 100, description: 'max 100' })],
    [],
    'the schema has it',
  ],
  [
    'TD011',
    [withArgument('add_money', 'amount', { type: 'number', description: 'With up to 4 decimal places' })],
    [],
    'a precision is no bound',
  ],
  [
    'TD011',
    [withArgument('list_issues', 'since', { type: 'string', description: 'at most 10 days ago' })],
    [],
    'a text has no maximum',
  ],
  [
    'TD011',
    [withArgument('list_issues', 'size', { type: 'number', description: 'Page size; default 30' })],
    [],
    'a default is no bound',
  ],

  ['TD019', [tool('upd_cust_addr')], ['warning upd_cust_addr'], 'nobody can know all three'],
  ['TD019', [tool('get_msg')], ['note get_msg'], 'one can be guessed'],
  [
    'TD019',
    [withArgument('get_order', 'q', { type: 'string' })],
    ['note get_order q'],
    'one letter, and no word about it',
  ],
  [
    'TD019',
    [withArgument('get_order', 'q', { type: 'string', description: 'what to look for' })],
    [],
    'it is spelled out',
  ],
  ['TD019', [withArgument('search_orders', 'q', { type: 'string' })], [], 'what else could a search take'],
  [
    'TD019',
    [withArgument('search_orders', 'k', { type: 'string' })],
    ['note search_orders k'],
    'it could be anything',
  ],
  [
    'TD019',
    [tool('draw_point', { inputSchema: { type: 'object', properties: { x: {}, y: {} } } })],
    [],
    'everybody has learnt coordinates',
  ],
  ['TD019', [withArgument('draw_point', 'x', {})], ['note draw_point x'], 'alone it is no coordinate'],
  [
    'TD019',
    [
      tool('draw_points', {
        inputSchema: {
          type: 'object',
          properties: {
            points: {
              description: 'where',
              type: 'array',
              items: { type: 'object', properties: { x: {}, y: {} } },
            },
          },
        },
      }),
    ],
    [],
    'coordinates of many points are coordinates',
  ],
  ['TD019', [withArgument('get_url', 'repo_id', { type: 'string' })], [], 'those are words by now'],

  ['TD020', [...siblings, tool('getInvoice')], ['note getInvoice'], 'four siblings are in snake case'],
  [
    'TD020',
    [tool('get_order'), tool('list_orders'), tool('cancel_order'), tool('getInvoice')].slice(1),
    [],
    'three names make no style',
  ],
  ['TD020', [...siblings.slice(0, 3), tool('getInvoice')], ['note getInvoice'], 'four names do'],
  ['TD020', [tool('get_order'), tool('getInvoice')], [], 'two names make no style'],
  ['TD020', [...siblings, tool('search')], [], 'one word has every style'],
  [
    'TD020',
    [
      withArgument('list_a', 'per_page', {}),
      withArgument('list_b', 'per_page', {}),
      withArgument('list_c', 'perPage', {}),
    ],
    ['warning list_c perPage'],
    'an agent that learnt per_page sends it here too',
  ],
  [
    'TD020',
    [withArgument('list_a', 'page', {}), withArgument('list_b', 'pages', {})],
    [],
    'those are two words',
  ],

  ['TD021', [tool('create_invoice')], ['note create_invoice'], 'nobody knows what a repeat does'],
  ['TD021', [tool('send_email')], ['warning send_email'], 'a message cannot be taken back'],
  [
    'TD021',
    [describedTool('create_invoice', 'Creates one. Not idempotent: each call makes another.')],
    [],
    'it says so',
  ],
  ['TD021', [withArgument('create_invoice', 'idempotency_key', {})], [], 'there is a key'],
  ['TD021', [tool('create_invoice', { annotations: { idempotentHint: false } })], [], 'the hint says so'],
  [
    'TD021',
    [
      tool('create_branch', {
        inputSchema: { type: 'object', properties: { branch: {} }, required: ['branch'] },
      }),
    ],
    [],
    'a second of that name is refused',
  ],
  [
    'TD021',
    [tool('API-create-a-comment')],
    ['note API-create-a-comment'],
    'the prefix of a wrapper is no verb',
  ],
  [
    'TD021',
    ['API-post-search', 'API-get-user', 'API-list-users'].map((name) => tool(name)),
    [],
    'the method of a wrapper is none either',
  ],
  [
    'TD021',
    [tool('git_add'), tool('git_status'), tool('git_log')],
    [],
    'the prefix of a server is no object',
  ],
  [
    'TD021',
    [tool('git_add'), tool('git_log'), tool('git_tag'), tool('help')],
    [],
    'three of four have that prefix',
  ],
  [
    'TD021',
    ['add_note', 'add_line', 'add_row'].map((name) => tool(name)),
    ['note add_line', 'note add_note', 'note add_row'],
    'a verb is no prefix',
  ],
  ...(
    [
      ['create_payment_intent', true, 'money leaves'],
      ['charge_card', true, 'money leaves'],
      ['charge_account', true, 'an account can be charged twice'],
      ['issue_refund', true, 'money leaves'],
      ['create_bank_transfer', true, 'money leaves'],
      ['post_message', true, 'a message leaves'],
      ['create_tweet', true, 'a message leaves'],
      ['schedule_email', true, 'a message will leave'],
      ['create_payment_method', false, 'a method is no payment'],
      ['create_payment_link', false, 'a link is no payment'],
      ['create_email_template', false, 'a template is no message'],
      ['process_image', false, 'nothing leaves'],
      ['get_payment', false, 'it reads'],
      ['cancel_payment', false, 'a second time changes nothing'],
    ] as const
  ).map(
    ([name, isWarned, because]): Row => ['TD021', [tool(name)], isWarned ? [`warning ${name}`] : [], because],
  ),
  ['TD021', [tool('send_keys')], [], 'keys leave for nobody'],
  ['TD021', [tool('add_cookie')], [], 'a second of that name replaces it'],
  ['TD021', [tool('git_insert'), tool('git_status')], ['note git_insert'], 'two names have no prefix yet'],
  ['TD021', [tool('add_reaction')], [], 'it is there or it is not'],
  ['TD021', [tool('add_comment')], ['note add_comment'], 'there can be two of the same words'],
  ['TD021', [tool('send_parcels')], ['warning send_parcels'], 'what leaves has left, whatever it is'],
  ['TD021', [tool('create_share_link')], [], 'the link that there is comes back'],
  ['TD021', [tool('add_custom_domain')], [], 'a domain is there or is not'],
  ['TD021', [tool('add_frobnication')], [], 'nobody knows whether there can be two'],
  ['TD021', [tool('create_frobnication')], [], 'there may be one of each name'],
  [
    'TD021',
    [
      tool('add_task_to_section', {
        inputSchema: { type: 'object', properties: { task_id: {}, section_id: {} }, required: ['task_id'] },
      }),
    ],
    [],
    'the task was there before, and lies in that section or does not',
  ],
  [
    'TD021',
    [tool('add_task_to_section')],
    ['note add_task_to_section'],
    'a task without an id of its own is a new one',
  ],
  [
    'TD021',
    [
      tool('send_newsletter', {
        inputSchema: { type: 'object', properties: { newsletter_id: {} }, required: ['newsletter_id'] },
      }),
    ],
    [],
    'what was made before may be sent but once',
  ],
  ['TD021', [tool('purchaseDomainV1')], [], 'a version is no object, and a domain is bought once'],
  ['TD021', [tool('purchaseOrderV1')], ['warning purchaseOrderV1'], 'an order can be placed twice'],
  ['TD021', [tool('send_draft_message')], [], 'a draft is gone once it is sent'],
  ['TD021', [tool('add_related_issue')], [], 'two things are related or are not'],
  ['TD021', [tool('create_chart')], [], 'a drawing is an answer, and leaves nothing behind'],
  ['TD021', [tool('invite_person')], [], 'a second invitation may be refused'],
  ['TD021', [tool('publish_package')], [], 'it is published or it is not'],
  [
    'TD021',
    [tool('publish_message')],
    ['warning publish_message'],
    'a message is published as often as one likes',
  ],
  [
    'TD021',
    [tool('add_comment_to_branch'), tool('add_branch_to_thread')],
    ['note add_comment_to_branch'],
    'what is added counts, and not where it goes',
  ],
  ['TD021', [tool('branch_comment_add')], ['note branch_comment_add'], 'the verb may stand last'],
  [
    'TD021',
    [describedTool('create_invoice', 'Creates one, or hands out the one that already exists.')],
    [],
    'it says what becomes of a second',
  ],
  [
    'TD021',
    [
      tool('create_order', {
        inputSchema: {
          type: 'object',
          properties: { body: { type: 'object', properties: { order_id: {} }, required: ['order_id'] } },
          required: ['body'],
        },
      }),
    ],
    [],
    'its natural key is one level down, in the body',
  ],
  [
    'TD021',
    [
      tool('create_order', {
        inputSchema: {
          type: 'object',
          properties: { body: { type: 'object', properties: { order_id: {} }, required: ['order_id'] } },
        },
      }),
    ],
    ['note create_order'],
    'a body that may be left out is no key',
  ],
  [
    'TD021',
    [
      tool('create_pull_request', {
        inputSchema: { type: 'object', properties: { head: {}, base: {} }, required: ['head', 'base'] },
      }),
    ],
    [],
    'two branches are merged once',
  ],
  [
    'TD021',
    [
      tool('create_pull_request', {
        inputSchema: { type: 'object', properties: { head: {}, base: {} }, required: ['head'] },
      }),
    ],
    ['note create_pull_request'],
    'one branch is merged into many',
  ],
  [
    'TD021',
    [
      tool('create_payment', {
        inputSchema: { type: 'object', properties: { payment_id: {} }, required: ['payment_id'] },
      }),
      tool('create_comment', {
        inputSchema: { type: 'object', properties: { issue_id: {} }, required: ['issue_id'] },
      }),
    ],
    ['note create_comment'],
    'the caller names the payment, and not the comment',
  ],
  ['TD021', [tool('create_or_update_file')], [], 'a repeat ends in the same state'],
  ['TD021', [tool('add')], [], 'two numbers may be added as often as one likes'],
  ['TD021', [tool('delete_invoice'), tool('update_invoice')], [], 'deleting twice deletes once'],

  [
    'TD026',
    [tool('get_order', { inputSchema: { type: 'string' } })],
    ['error get_order'],
    'clients refuse it',
  ],
  ['TD026', [{ name: 'get_order', description: 'x' }], ['error get_order'], 'an input schema is required'],
  [
    'TD026',
    [tool('get_order', { outputSchema: { type: 'array' } })],
    ['warning get_order'],
    'newer clients take it',
  ],
  ['TD026', [tool('get_order', { outputSchema: key })], [], 'it is an object'],

  ['TD027', [tool('get_order'), tool('run_job')], ['note *'], 'both have none, and it is one habit'],
  ['TD027', [tool('get_order', { annotations: { readOnlyHint: true } })], [], 'it says that it reads'],
  [
    'TD027',
    [tool('get_order', { annotations: { destructiveHint: false } })],
    [],
    'it says that it destroys nothing',
  ],
  [
    'TD027',
    [tool('get_order', { annotations: { title: 'Order' } })],
    ['note get_order'],
    'a title is no hint',
  ],

  [
    'TD028',
    [tool('delete_order', { annotations: { readOnlyHint: true } })],
    ['error delete_order'],
    'clients would not ask',
  ],
  [
    'TD028',
    [tool('send_email', { annotations: { readOnlyHint: true } })],
    ['error send_email'],
    'a message leaves',
  ],
  [
    'TD028',
    [tool('delete_order', { annotations: { destructiveHint: false } })],
    ['warning delete_order'],
    'deleting destroys',
  ],
  [
    'TD028',
    [tool('list_orders', { annotations: { destructiveHint: true } })],
    ['warning list_orders'],
    'listing destroys nothing',
  ],
  [
    'TD028',
    [tool('run_job', { annotations: { readOnlyHint: true, destructiveHint: true } })],
    ['warning run_job'],
    'it cannot be both',
  ],
  [
    'TD028',
    [tool('delete_preview', { annotations: { readOnlyHint: true } })],
    [],
    'a preview deletes nothing',
  ],
  [
    'TD028',
    [tool('get_deleted_orders', { annotations: { readOnlyHint: true } })],
    [],
    'the first verb counts',
  ],
  [
    'TD028',
    [tool('linear_deleteSavedView', { annotations: { destructiveHint: true } })],
    [],
    'what is deleted may be named after a verb',
  ],
  ['TD028', [tool('create_chart', { annotations: { readOnlyHint: true } })], [], 'it may only compute'],
  [
    'TD028',
    [tool('get_or_create_user', { annotations: { destructiveHint: true } })],
    [],
    'it does more than get',
  ],

  ['TD031', manyTools(15), [], 'fifteen can be chosen among'],
  ['TD031', manyTools(16), ['note *'], 'it begins to be many'],
  ['TD031', manyTools(21), ['warning *'], 'agents choose worse'],

  ...schemaRows([
    [{ properties: { a: { $ref: '#/$defs/a' } } }, [''], 'there is no such definition'],
    [{ properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }, [], 'there is one'],
    [{ properties: { a: { $ref: 'https://example.org/a.json' } } }, [], 'another document is not followed'],
    [{ properties: { a: { default: { $ref: '#/nothing' } } } }, [], 'a default is data'],
    [{ properties: { a: {} }, required: ['b'] }, ['b'], 'it is not declared'],
    [{ properties: { a: {} }, required: ['a'] }, [], 'it is declared'],
    [{ properties: { a: { type: 'string', enum: ['x', 'y'], default: 'z' } } }, ['a'], 'z is not listed'],
    [{ properties: { a: { type: 'string', enum: ['x', 'y'], default: 'x' } } }, [], 'x is listed'],
    [{ properties: { a: { type: 'string', enum: ['x', 'y'], default: null } } }, [], 'null means none'],
    [
      { properties: { a: { type: 'integer', maximum: 100, default: 500 } } },
      ['a'],
      'it is above the maximum',
    ],
    [{ properties: { a: { type: 'integer', default: '10' } } }, ['a'], 'it is a text'],
    [{ properties: { a: { type: ['integer', 'string'], default: '10' } } }, [], 'a text is taken too'],
    [{ properties: { a: { type: 'integer', enum: ['1', '2'] } } }, ['a'], 'no value passes'],
    [{ properties: { a: { type: 'number', enum: [1, 2] } } }, [], 'they are numbers'],
  ]),

  [
    'TD039',
    [withArguments({ a: {}, b: {}, c: {} }), withArguments({ d: { description: 'The note' } })],
    ['note *'],
    'three of four have none',
  ],
  ['TD039', [withArguments({ a: {}, b: {} })], [], 'two are few'],
  [
    'TD039',
    [withArguments({ a: {}, b: {}, c: { enum: ['x'] }, d: { description: 'The note' } })],
    [],
    'listed values describe themselves',
  ],
  [
    'TD039',
    [withArguments({ a: {}, b: {}, c: { type: 'array', items: { enum: ['x'] } } })],
    [],
    'the items of a list are listed values, too',
  ],
  [
    'TD039',
    [withArguments({ latitude: {}, longitude: {}, a: {} })],
    [],
    'no description could add to a latitude',
  ],
  [
    'TD039',
    [
      withArguments({
        a: { properties: Object.fromEntries(['x', 'y', 'z'].map((name) => [name, { description: 'One' }])) },
      }),
    ],
    [],
    'an object around others needs none',
  ],

  [
    'TD040',
    [withArgument('list', 'start_date', { type: 'string' })],
    ['note list start_date'],
    'nobody knows how',
  ],
  [
    'TD040',
    [withArgument('list', 'created_at', { type: 'string', description: 'When it was made' })],
    ['note list created_at'],
    'nobody knows how',
  ],
  ['TD040', [withArgument('list', 'date', { type: 'string', format: 'date' })], [], 'the format says how'],
  [
    'TD040',
    [withArgument('list', 'date', { type: 'string', description: 'As YYYY-MM-DD' })],
    [],
    'the description says how',
  ],
  [
    'TD040',
    [withArgument('list', 'date', { type: 'string', description: 'e.g. 2024-01-31' })],
    [],
    'an example says how',
  ],
  ['TD040', [withArgument('list', 'date', { type: 'integer' })], [], 'it is no text'],
  ['TD040', [withArgument('list', 'update', { type: 'string' })], [], 'it is no date'],
  ['TD040', [withArgument('list', 'at', { type: 'string' })], [], 'it may be a place'],
  ['TD040', [withArgument('open_page', 'waitUntil', { type: 'string' })], [], 'it waits for an event'],
  [
    'TD040',
    [
      withArguments({
        startDate: { type: 'string', description: 'As YYYY-MM-DD' },
        endDate: { type: 'string', description: 'The last day' },
      }),
    ],
    [],
    'the other date says how it is written',
  ],

  [
    'TD041',
    [withArgument('list', 'limit', { type: 'integer', description: 'Rows (default: 20)' })],
    ['note list limit'],
    'the schema could say it',
  ],
  [
    'TD041',
    [withArgument('list', 'order', { type: 'string', description: "Defaults to 'asc'." })],
    ['note list order'],
    'the schema could say it',
  ],
  [
    'TD041',
    [withArgument('list', 'deep', { type: 'boolean', description: 'Defaults to true' })],
    ['note list deep'],
    'the schema could say it',
  ],
  [
    'TD041',
    [withArgument('list', 'limit', { type: 'integer', default: 20, description: 'Default: 20' })],
    [],
    'the schema says it',
  ],
  [
    'TD041',
    [withArgument('list', 'to', { type: 'string', description: 'Defaults to the current day' })],
    [],
    'it is no fixed value',
  ],
  [
    'TD041',
    [withArgument('list', 'limit', { type: 'integer', description: 'Default: 20 % of all' })],
    [],
    'it is a share of something',
  ],
  [
    'TD041',
    [withArgument('list', 'limit', { type: 'string', description: 'Default: 20' })],
    [],
    'it is of another type',
  ],
  [
    'TD041',
    [withArgument('list', 'order', { enum: ['asc', 'desc'], type: 'string', description: 'Default: desc.' })],
    ['note list order'],
    'the word is one of the listed values',
  ],
  [
    'TD041',
    [withArgument('list', 'order', { type: 'string', description: 'Default: relevance.' })],
    [],
    'a bare word may say what is done',
  ],
  [
    'TD041',
    [withArgument('update_event', 'all_day', { type: 'boolean', description: 'Defaults to false' })],
    [],
    'an update leaves what is not sent as it is',
  ],
  [
    'TD041',
    [withArgument('swipe', 'distance', { type: 'integer', description: 'Defaults to 400 pixels for iOS' })],
    [],
    'the default depends on something else',
  ],

  [
    'TD042',
    [describedTool('list_old', 'Deprecated. Lists notes.')],
    ['note list_old'],
    'nobody knows what to call',
  ],
  ['TD042', [describedTool('list_old', 'Deprecated: use list_notes.')], [], 'it says what to use'],
  ['TD042', [describedTool('list_notes', 'Lists notes.')], [], 'it is not deprecated'],
];

describe('static rules', () => {
  test.each(
    ROWS.map(([rule, tools, expected, because]) => ({
      rule,
      tools,
      expected,
      because,
      names: tools
        .map(({ name }) => name)
        .slice(0, 5)
        .join(' '),
    })),
  )('the rule $rule on $names reports $expected because $because', ({ rule, tools, expected }) => {
    expect(findingsOf(rule, tools)).toEqual(expected);
  });
});

describe('static findings', () => {
  const found = ROWS.flatMap(([rule, tools]) =>
    lintTools(tools, { pedantic: true }).filter((finding) => finding.rule === rule),
  );

  test('each static finding has numbers or names, a suggestion and a way to disprove it', () => {
    for (const { finding, evidence, suggestion, disprovedBy, title } of found) {
      expect(Object.keys(evidence.counts).length + Object.keys(evidence.names).length).toBeGreaterThan(0);
      for (const text of [finding, suggestion.text, disprovedBy]) expect(text).toMatch(/[.?!]$/);
      expect(title).toMatch(/^[A-Z]/);
    }
  });

  test('each suggested edit names a listed tool and a valid JSON pointer', () => {
    for (const [, tools] of ROWS) {
      for (const { suggestion } of lintTools(tools, { pedantic: true })) {
        for (const edit of suggestion.edits) {
          expect(tools.map(({ name }) => name)).toContain(edit.tool);
          expect(edit.pointer).toMatch(/^(?:\/[^/]+)+$/);
        }
      }
    }
  });
});
