//! Random programs from a list of choices: all their ids exist, otherwise they need make no sense.

mod formula;
mod labels;

use index_vec::IndexVec;
use ir::HeadKind as Head;
use ir::*;

const NONNULL: [Nonnull; 3] = [Nonnull::No, Nonnull::Meant, Nonnull::Demanded];

/// Draws from the choices; when they are used up, always the first alternative.
struct Source<'c> {
    choices: std::slice::Iter<'c, u8>,
    program: Program,
    body: Sizes,
}

/// How many there are of what a body refers to.
#[derive(Default)]
struct Sizes {
    locals: u32,
    blocks: u32,
    decisions: u32,
    conditions: u32,
    spans: u32,
}

/// A random program.
pub fn program(choices: &[u8]) -> Program {
    let mut source = Source {
        choices: choices.iter(),
        program: Program {
            target: Target {
                triple: String::new(),
                pointer_width: 64,
                moves_by_x87: false,
                signed_overflow_wraps: false,
                relaxed_aliasing: false,
                relaxed_alignment: false,
                freestanding: false,
            },
            units: IndexVec::new(),
            files: IndexVec::new(),
            types: Types::default(),
            globals: IndexVec::new(),
            functions: IndexVec::new(),
        },
        body: Sizes::default(),
    };
    source.header();
    source.types();
    source.globals();
    let functions = source.program.functions.len() as u32;
    for function in 0..functions {
        if source.flag() {
            source.fill(function.into());
        }
    }
    source.program
}

const NAMES: [&str; 8] = [
    "a",
    "struct s",
    "_1",
    "bb0",
    "int",
    "",
    "ünï \"x\"\n",
    "live",
];

impl Source<'_> {
    fn pick(&mut self, count: u32) -> u32 {
        self.choices
            .next()
            .map_or(0, |&choice| u32::from(choice) % count.max(1))
    }

    fn flag(&mut self) -> bool {
        self.pick(2) == 1
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.pick(of.len() as u32) as usize]
    }

    fn several<T>(&mut self, most: u32, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.pick(most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    fn name(&mut self) -> String {
        self.one(&NAMES).to_owned()
    }

    fn bits(&mut self) -> u128 {
        self.one(&[
            0,
            1,
            7,
            0x7f,
            0x80,
            0xff,
            0x8000_0000,
            0xffff_ffff,
            1 << 63,
            u128::MAX,
        ])
    }

    fn header(&mut self) {
        self.program.target = Target {
            triple: self
                .one(&["x86_64-pc-linux-gnu", "i386-pc-linux-gnu"])
                .to_owned(),
            pointer_width: self.one(&[64, 32]),
            moves_by_x87: self.one(&[false, true]),
            signed_overflow_wraps: self.flag(),
            relaxed_aliasing: self.flag(),
            relaxed_alignment: self.flag(),
            freestanding: self.flag(),
        };
        self.program.files = self
            .several(3, |s| SourceFile {
                path: s.one(&["text.c", "dir/a b.h"]).to_owned(),
            })
            .into();
        self.program.units = self
            .several(2, |s| Unit {
                path: s.one(&["text.c", "b.c"]).to_owned(),
                origin: s.one(&[Origin::User, Origin::Model, Origin::Caller]),
                unknown_records: s.several(2, |s| s.pick(3).into()),
                absent_records: s.several(2, |s| s.pick(3).into()),
                unknown_enums: s.several(2, |s| s.pick(3).into()),
                macros: s.several(2, |s| s.one(&["test", "a b"]).to_owned()),
                qualified: s.several(2, |s| s.one(&["f", "a b"]).to_owned()),
                clang_values: s.flag(),
            })
            .into();
    }

    fn int(&mut self) -> IntType {
        let name = self.one(&[
            IntName::Int,
            IntName::Bool,
            IntName::Char,
            IntName::SignedChar,
            IntName::UnsignedLong,
            IntName::LongLong,
            IntName::Int128,
        ]);
        IntType {
            name,
            width: self.one(&[32, 8, 16, 64, 128]),
            signed: self.flag(),
        }
    }

    fn types(&mut self) {
        let enums = self.several(2, |s| EnumDef {
            name: s.maybe(Self::name),
            underlying: s.int(),
            enumerators: s.several(2, |s| (s.name(), s.bits())),
        });
        self.program.types.enums = enums.into();
        let records = self.several(3, |s| Record {
            name: s.maybe(Self::name),
            kind: s.one(&[RecordKind::Struct, RecordKind::Union]),
            complete: s.flag(),
            fields: Vec::new(),
            size: s.pick(20).into(),
            align: s.one(&[1, 2, 8]),
        });
        self.program.types.records = records.into();
        let int = Type::Int(IntType {
            name: IntName::Int,
            width: 32,
            signed: true,
        });
        self.program.types.intern(int, 4, 4);
        for _ in 0..self.pick(16) {
            let kind = self.kind();
            let (size, align) = (self.pick(20).into(), self.one(&[1, 4, 8]));
            self.program.types.intern(kind, size, align);
        }
        for record in 0..self.program.types.records.len() {
            let fields = self.several(3, |s| Field {
                name: s.maybe(Self::name),
                ty: s.ty(),
                constant: s.flag(),
                volatile: s.flag(),
                offset_bits: s.pick(200).into(),
                bit_width: s.maybe(|s| s.pick(40)),
            });
            self.program.types.records[RecordId::from_usize(record)].fields = fields;
        }
    }

    fn ty(&mut self) -> TypeId {
        let count = self.program.types.iter().count() as u32;
        self.pick(count).into()
    }

    fn kind(&mut self) -> Type {
        let records = self.program.types.records.len() as u32;
        let enums = self.program.types.enums.len() as u32;
        match self.pick(9) {
            0 => Type::Pointer {
                pointee: self.ty(),
                constant: self.flag(),
                volatile: self.flag(),
            },
            1 => Type::Int(self.int()),
            2 if enums > 0 => Type::Enum(self.pick(enums).into()),
            3 if records > 0 => Type::Record(self.pick(records).into()),
            4 => Type::Array {
                element: self.ty(),
                length: self.maybe(|s| s.pick(9).into()),
            },
            5 => Type::Function(FunctionType {
                result: self.ty(),
                parameters: self.several(3, Self::ty),
                variadic: self.flag(),
                attributes: FunctionAttributes {
                    noreturn: self.flag(),
                    convention: self.maybe(Self::name),
                },
            }),
            6 => Type::Float(self.one(&[FloatName::Float, FloatName::Half, FloatName::LongDouble])),
            7 => Type::Unsupported(self.name()),
            _ => Type::Void,
        }
    }

    fn position(&mut self) -> Position {
        Position {
            file: self.pick(3).into(),
            line: self.pick(9),
            column: self.pick(9),
        }
    }

    fn span(&mut self) -> Span {
        Span {
            begin: self.position(),
            end: self.position(),
            expansions: self.several(2, |s| Expansion {
                name: s.name(),
                at: s.position(),
            }),
        }
    }

    fn globals(&mut self) {
        // Functions come first here, as globals refer to them; their text comes last.
        let functions = self.several(3, |s| {
            let ty = s.ty();
            let count = match s.program.types.kind(ty) {
                Type::Function(ty) if ty.parameters.len() < 3 => ty.parameters.len() as u32,
                _ => s.pick(3),
            };
            Function {
                name: s.name(),
                ty,
                parameters: (0..count).map(|_| s.parameter()).collect(),
                weak: s.flag(),
                result_nonnull: s.one(&NONNULL),
                unit: s.pick(3).into(),
                linkage: s.one(&[Linkage::External, Linkage::Internal, Linkage::Inline]),
                noreturn: s.flag(),
                renamed: s.flag(),
                assumed: s.flag(),
                old_style: s.flag(),
                pure: s.flag(),
                span: s.maybe(Self::span),
                body: None,
            }
        });
        self.program.functions = functions.into();
        let globals = self.several(4, |s| Global {
            name: s.name(),
            ty: s.ty(),
            unit: s.pick(2).into(),
            kind: match s.pick(5) {
                0 => GlobalKind::File(Linkage::External),
                1 => GlobalKind::File(Linkage::Internal),
                2 => GlobalKind::StaticLocal(s.pick(3).into()),
                3 => GlobalKind::StringLiteral,
                _ => GlobalKind::CompoundLiteral,
            },
            constant: s.flag(),
            weak: s.flag(),
            renamed: s.flag(),
            thread_local: s.flag(),
            volatile: s.flag(),
            initializer: s.maybe(|s| Initializer {
                bytes: s.several(20, |s| s.one(&[0, b'a', b'"', b'\\', 0x80, 0xff, b'\n'])),
                open: s.several(3, |s| s.one(&[0, 0x80, 0xff])),
                relocations: s.several(2, |s| Relocation {
                    offset: s.pick(20).into(),
                    target: s.address(),
                }),
            }),
            span: s.maybe(Self::span),
        });
        self.program.globals = globals.into();
    }

    fn parameter(&mut self) -> Parameter {
        Parameter {
            name: self.maybe(Self::name),
            nonnull: self.one(&NONNULL),
            length: self.maybe(|s| u64::from(s.pick(9))),
            rows: self.pick(4) == 0,
        }
    }

    fn address(&mut self) -> ConstantValue {
        match self.pick(3) {
            0 => ConstantValue::Function(self.pick(4).into()),
            1 => ConstantValue::Global {
                global: self.pick(4).into(),
                offset: 0,
            },
            _ => ConstantValue::Global {
                global: self.pick(4).into(),
                offset: self.one(&[8, -8, i64::MIN, i64::MAX]),
            },
        }
    }

    fn fill(&mut self, function: FunctionId) {
        let signature = self.program.functions[function].clone();
        let mut locals: Vec<LocalDecl> = match self.program.types.kind(signature.ty) {
            Type::Function(ty) => signature
                .parameters
                .iter()
                .zip(&ty.parameters)
                .map(|(parameter, &ty)| LocalDecl {
                    name: parameter.name.clone(),
                    ty,
                    kind: LocalKind::Parameter,
                    constant: false,
                    address_taken: false,
                    volatile: false,
                })
                .collect(),
            _ => Vec::new(),
        };
        for local in &mut locals {
            if self.flag() {
                local.address_taken = true;
            }
        }
        locals.extend(self.several(4, |s| LocalDecl {
            name: s.maybe(Self::name),
            ty: s.ty(),
            kind: s.one(&[
                LocalKind::Variable,
                LocalKind::Temporary,
                LocalKind::Parameter,
            ]),
            constant: s.flag(),
            address_taken: s.flag(),
            volatile: s.flag(),
        }));
        self.program.functions[function].body = Some(self.body(locals.into()));
    }

    fn body(&mut self, locals: IndexVec<Local, LocalDecl>) -> Body {
        let spans: IndexVec<SpanId, Span> = self.several(3, Self::span).into();
        self.body = Sizes {
            locals: locals.len() as u32,
            blocks: self.pick(5),
            decisions: self.pick(4),
            conditions: 0,
            spans: spans.len() as u32,
        };
        let decisions: Vec<Decision> = (0..self.body.decisions)
            .map(|_| Decision {
                kind: self.one(&[
                    DecisionKind::If,
                    DecisionKind::Switch,
                    DecisionKind::DoWhile,
                ]),
                span: self.span(),
                formula: self.formula(3),
                sides: self.several(2, |s| SwitchSide {
                    values: s.maybe(|s| (s.one(&[0, -1, i128::MIN]), s.one(&[0, 7, i128::MAX]))),
                    names: s.maybe(|s| (s.name(), s.name())),
                    span: s.span(),
                }),
                may_be_left: self.flag(),
            })
            .collect();
        let conditions: Vec<Condition> = (0..self.body.conditions)
            .map(|_| Condition {
                decision: self.pick(4).into(),
                span: self.span(),
                operands: self.maybe(|s| [s.span(), s.span()]),
            })
            .collect();
        let folds = self.several(2, |s| Fold {
            decision: s.pick(4).into(),
            block: s.block(),
            outcome: s.maybe(Self::flag),
            instead: s.maybe(Self::block),
        });
        let source_statements = self
            .several(3, |s| SourceStatement {
                span: s.span(),
                block: s.block(),
            })
            .into();
        let heads = self.several(3, |s| SourceHead {
            kind: s.one(&[Head::While, Head::Do, Head::For, Head::Label]),
            span: s.span(),
            block: s.block(),
            in_scope: s.several(3, Self::local),
        });
        let regions = self.several(3, |s| SourceRegion {
            decision: s.maybe(|s| s.pick(4).into()),
            head: s.maybe(Self::block),
            parent: s.maybe(|s| s.pick(3).into()),
            blocks: s.several(3, Self::block),
        });
        let blocks: Vec<BlockData> = (0..self.body.blocks).map(|_| self.block_data()).collect();
        self.labelled(Body {
            locals,
            blocks: blocks.into(),
            decisions: decisions.into(),
            conditions: conditions.into(),
            folds,
            source_statements,
            heads,
            regions: regions.into(),
            spans,
            ..Body::default()
        })
    }

    fn block(&mut self) -> Block {
        self.pick(self.body.blocks + 1).into()
    }

    fn local(&mut self) -> Local {
        self.pick(self.body.locals + 1).into()
    }

    fn span_id(&mut self) -> SpanId {
        self.pick(self.body.spans + 1).into()
    }

    fn block_data(&mut self) -> BlockData {
        BlockData {
            statements: self.several(4, |s| Statement {
                kind: match s.pick(6) {
                    0 => StatementKind::StorageLive(s.local()),
                    1 => StatementKind::StorageDead(s.local()),
                    _ => StatementKind::Assign(s.place(), s.rvalue()),
                },
                span: s.span_id(),
                operation: s.optional_operation(),
            }),
            terminator: self.terminator(),
            span: self.span_id(),
        }
    }

    fn operand(&mut self) -> Operand {
        if self.flag() {
            return Operand::Copy(self.local());
        }
        let value = match self.pick(4) {
            0 | 1 => ConstantValue::Int(self.bits()),
            2 => ConstantValue::Float(self.bits()),
            _ => self.address(),
        };
        Operand::Constant(Constant {
            ty: self.ty(),
            value,
        })
    }

    fn place(&mut self) -> Place {
        Place {
            base: match self.pick(3) {
                0 => PlaceBase::Local(self.local()),
                1 => PlaceBase::Global(self.pick(4).into()),
                _ => PlaceBase::Deref(self.operand()),
            },
            projections: self.several(3, |s| match s.pick(2) {
                0 => Projection::Field(s.pick(4)),
                _ => Projection::Index(s.operand()),
            }),
            ty: self.ty(),
        }
    }

    fn rvalue(&mut self) -> Rvalue {
        let op = self.one(&[
            BinaryOp::Add,
            BinaryOp::Shl,
            BinaryOp::Lt,
            BinaryOp::Eq,
            BinaryOp::Xor,
        ]);
        match self.pick(9) {
            0 => Rvalue::Use(self.operand()),
            1 => Rvalue::Load(self.place()),
            2 => Rvalue::AddressOf(self.place()),
            3 => Rvalue::Unary(
                self.one(&[UnaryOp::Negate, UnaryOp::Complement]),
                self.operand(),
            ),
            4 => Rvalue::Cast(CastKind::PointerToInt, self.operand(), self.ty()),
            5 => Rvalue::PointerOffset {
                pointer: self.operand(),
                index: self.operand(),
                element: self.pick(9).into(),
                negative: self.flag(),
            },
            6 => Rvalue::PointerDifference {
                left: self.operand(),
                right: self.operand(),
                element: self.pick(9).into(),
                ty: self.ty(),
            },
            7 => Rvalue::Zero(self.ty()),
            _ => Rvalue::Binary(op, self.operand(), self.operand()),
        }
    }

    fn outcome(&mut self) -> Option<bool> {
        self.one(&[None, Some(true), Some(false)])
    }

    fn terminator(&mut self) -> Terminator {
        match self.pick(8) {
            0 => Terminator::Goto(self.block()),
            1 => Terminator::Branch {
                operand: self.operand(),
                then: self.block(),
                otherwise: self.block(),
                tag: self.maybe(|s| BranchTag {
                    condition: s.pick(4).into(),
                    then_outcome: s.outcome(),
                    otherwise_outcome: s.outcome(),
                }),
            },
            2 => Terminator::Switch {
                operand: self.operand(),
                arms: self.several(3, |s| SwitchArm {
                    low: s.bits(),
                    high: s.bits(),
                    target: s.block(),
                }),
                default: self.block(),
                decision: self.pick(4).into(),
            },
            3 | 4 => Terminator::Call {
                callee: match self.pick(2) {
                    0 => Callee::Direct(self.pick(4).into()),
                    _ => Callee::Indirect(self.operand()),
                },
                arguments: self.several(3, Self::operand),
                destination: self.maybe(Self::place),
                next: self.maybe(Self::block),
            },
            5 => Terminator::Return(self.maybe(Self::operand)),
            6 => Terminator::Unsupported {
                construct: self.name(),
                next: self.several(2, Self::block),
            },
            _ => Terminator::Unreachable,
        }
    }
}
