"""Models of images: a convolutional network, ResNet-18, a vision transformer, a block of a U-Net."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .table import Program, model


class ConvNet(nn.Module):
    """The network of PyTorch's example for MNIST."""

    def __init__(self) -> None:
        """Makes the layers."""
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(2304, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the logarithms of the classes' probabilities."""
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = self.dropout2(x)
        return F.log_softmax(self.fc2(x), dim=1)


@model("the convolutional network of PyTorch's MNIST example, images of 16x16")
def cnn() -> Program:
    """Builds it for a batch of 2."""
    return Program(ConvNet().eval(), (torch.randn(2, 1, 16, 16),))


class BasicBlock(nn.Module):
    """The block of ResNet-18 as torchvision has it."""

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        """Makes the layers."""
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the sum of two convolutions and the operand."""
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    """ResNet as torchvision has it."""

    def __init__(self, layers: list[int], num_classes: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.inplanes = 64
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(64, layers[0])
        self.layer2 = self._make_layer(128, layers[1], stride=2)
        self.layer3 = self._make_layer(256, layers[2], stride=2)
        self.layer4 = self._make_layer(512, layers[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, num_classes)

    def _make_layer(self, planes: int, blocks: int, stride: int = 1) -> nn.Sequential:
        """Returns the blocks of one width."""
        downsample = None
        if stride != 1 or self.inplanes != planes:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))
        layers: list[nn.Module] = [BasicBlock(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes
        layers += [BasicBlock(planes, planes) for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the classes."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)


@model("ResNet-18 of torchvision with all its widths, one image of 32x32")
def resnet18() -> Program:
    """Builds it for one image."""
    return Program(ResNet([2, 2, 2, 2], 64).eval(), (torch.randn(1, 3, 32, 32),))


class VisionTransformer(nn.Module):
    """A vision transformer with a class token."""

    def __init__(self, image: int, patch: int, width: int, depth: int, heads: int, classes: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.patch_embed = nn.Conv2d(3, width, patch, patch)
        self.cls_token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.pos_embed = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        self.blocks = nn.Sequential(*(ViTBlock(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the classes."""
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


class ViTBlock(nn.Module):
    """A block of attention and of an MLP, each after a norm."""

    def __init__(self, width: int, heads: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the rows of the next block."""
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(self.norm2(x))


@model("ViT-Tiny (width 192, 3 heads, patches of 16) with 2 blocks instead of 12, one image of 64x64 in f16", "auto", 2e-2)
def vit_tiny() -> Program:
    """Builds it for one image."""
    return Program(VisionTransformer(64, 16, 192, 2, 3, 64).half().eval(), (torch.randn(1, 3, 64, 64).half(),))


class DoubleConv(nn.Module):
    """Two convolutions with norms, as in U-Net."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the channels after both."""
        return self.double_conv(x)


class UNetBlock(nn.Module):
    """One level of U-Net: down, the level below, up, and the two joined."""

    def __init__(self, channels: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.inc = DoubleConv(3, channels)
        self.down = nn.Sequential(nn.MaxPool2d(2), DoubleConv(channels, 2 * channels))
        self.up = nn.ConvTranspose2d(2 * channels, channels, 2, stride=2)
        self.conv = DoubleConv(2 * channels, channels)
        self.outc = nn.Conv2d(channels, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the pixels."""
        x1 = self.inc(x)
        x = self.up(self.down(x1))
        dy, dx = x1.size(2) - x.size(2), x1.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.outc(self.conv(torch.cat([x1, x], dim=1)))


@model("one level of U-Net with 32 channels, one image of 16x16")
def unet_block() -> Program:
    """Builds it for one image."""
    return Program(UNetBlock(32).eval(), (torch.randn(1, 3, 16, 16),))
